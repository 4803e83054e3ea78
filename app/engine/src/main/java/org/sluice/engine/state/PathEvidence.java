// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;

/**
 * What receivers have reported lately of paths that cross ports under control: packets, and those
 * of them with CE. Paths of which only a part crosses such a port are left out: what they show is a
 * mean of several.
 */
public final class PathEvidence {
  private static final int FIRST = 256;

  /** Of fewer packets nothing is remembered. */
  private static final double LEAST_PACKETS = 0.5;

  private final PathTable paths;
  private final PortTable ports;
  private double[] packets = new double[FIRST];
  private double[] marks = new double[FIRST];

  /** Whether a path crosses ports under control, and wholly; as of a version of that. */
  private boolean[] usable = new boolean[FIRST];

  private int[] usableVersion = new int[FIRST];

  /** Rows of paths with evidence, and where each stands there; below 0: nowhere. */
  private int[] listed = new int[FIRST];

  private int[] place = new int[FIRST];
  private int size;

  PathEvidence(PathTable paths, PortTable ports) {
    this.paths = paths;
    this.ports = ports;
    Arrays.fill(place, -1);
  }

  void grow(int length) {
    int before = place.length;
    packets = Arrays.copyOf(packets, length);
    marks = Arrays.copyOf(marks, length);
    usable = Arrays.copyOf(usable, length);
    usableVersion = Arrays.copyOf(usableVersion, length);
    listed = Arrays.copyOf(listed, length);
    place = Arrays.copyOf(place, length);
    Arrays.fill(place, before, length, -1);
  }

  /** Forgets a path. */
  void reset(int path) {
    usableVersion[path] = -1;
    remove(path);
  }

  /** Adds a report of a path's packets. */
  void add(int path, long count, long marked) {
    if (!isUsable(path)) {
      return;
    }
    if (place[path] < 0) {
      place[path] = size;
      listed[size++] = path;
    }
    packets[path] += count;
    marks[path] += marked;
  }

  private boolean isUsable(int path) {
    if (usableVersion[path] != ports.controlVersion) {
      usableVersion[path] = ports.controlVersion;
      usable[path] = crossesControlWholly(path);
    }
    return usable[path];
  }

  private boolean crossesControlWholly(int path) {
    boolean crosses = false;
    for (int h = paths.firstHop(path), end = h + paths.hopCount(path); h < end; h++) {
      if (ports.canMark(paths.portAt(h))) {
        if (paths.fraction16At(h) < PathTable.WHOLE) {
          return false;
        }
        crosses = true;
      }
    }
    return crosses;
  }

  /** How many paths there is evidence of. */
  public int size() {
    return size;
  }

  /** The row of one of them. */
  public int path(int index) {
    return listed[index];
  }

  public double packets(int path) {
    return packets[path];
  }

  public double marks(int path) {
    return marks[path];
  }

  /**
   * Lets a path's evidence fade.
   *
   * @return whether any is left; if not the last of the list takes its place
   */
  public boolean fade(int path, double keep) {
    packets[path] *= keep;
    marks[path] *= keep;
    if (packets[path] >= LEAST_PACKETS && isUsable(path)) {
      return true;
    }
    remove(path);
    return false;
  }

  private void remove(int path) {
    packets[path] = 0;
    marks[path] = 0;
    int at = place[path];
    if (at >= 0) {
      int last = listed[--size];
      listed[at] = last;
      place[last] = at;
      place[path] = -1;
    }
  }
}
