// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;

/**
 * What receivers have reported lately of paths that cross ports under control: packets, and those
 * of them with CE. What crosses only one such port is summed by port, the rest by path. Paths of
 * which only a part crosses such a port are left out: what they show is a mean of several.
 */
public final class PathEvidence {
  private static final int FIRST = 256;

  /** Of fewer packets nothing is remembered. */
  private static final double LEAST_PACKETS = 0.5;

  private static final int NONE = -1;
  private static final int SEVERAL = -2;

  private final PathTable paths;
  private final PortTable ports;
  private double[] packets = new double[FIRST];
  private double[] marks = new double[FIRST];

  /** The only port under control of a path, or what else it is; as of a version of that. */
  private int[] sole = new int[FIRST];

  private int[] soleVersion = new int[FIRST];

  // By port, of the paths that cross no other port under control: since {@link #keepSole}, and what
  // is remembered of before.
  private long[] newPackets = new long[FIRST];
  private long[] newMarks = new long[FIRST];
  private double[] solePackets = new double[FIRST];
  private double[] soleMarks = new double[FIRST];

  /**
   * Rows of paths over several ports with evidence, and where each stands there; below 0: nowhere.
   */
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
    sole = Arrays.copyOf(sole, length);
    soleVersion = Arrays.copyOf(soleVersion, length);
    listed = Arrays.copyOf(listed, length);
    place = Arrays.copyOf(place, length);
    Arrays.fill(place, before, length, -1);
  }

  /** Forgets a path. */
  void reset(int path) {
    soleVersion[path] = -1;
    remove(path);
  }

  /** Adds a report of a path's packets. */
  void add(int path, long count, long marked) {
    int port = sole(path);
    if (port >= 0) {
      if (port >= solePackets.length) {
        growSole();
      }
      newPackets[port] += count;
      newMarks[port] += marked;
    } else if (port == SEVERAL) {
      if (place[path] < 0) {
        place[path] = size;
        listed[size++] = path;
      }
      packets[path] += count;
      marks[path] += marked;
    }
  }

  private void growSole() {
    int length = ports.id.length;
    newPackets = Arrays.copyOf(newPackets, length);
    newMarks = Arrays.copyOf(newMarks, length);
    solePackets = Arrays.copyOf(solePackets, length);
    soleMarks = Arrays.copyOf(soleMarks, length);
  }

  private int sole(int path) {
    if (soleVersion[path] != ports.controlVersion) {
      soleVersion[path] = ports.controlVersion;
      sole[path] = findSole(path);
    }
    return sole[path];
  }

  private int findSole(int path) {
    int found = NONE;
    for (int h = paths.firstHop(path), end = h + paths.hopCount(path); h < end; h++) {
      if (ports.canMark(paths.portAt(h))) {
        if (paths.fraction16At(h) < PathTable.WHOLE) {
          return NONE;
        }
        found = found == NONE ? paths.portAt(h) : SEVERAL;
      }
    }
    return found;
  }

  /**
   * The part with CE of the packets that no other port can have marked, of those reported since
   * {@link #keepSole}, [0, 1]; 0 where there are none.
   */
  public double solePart(int port) {
    return port < newPackets.length && newPackets[port] > 0
        ? Math.min(1, (double) newMarks[port] / newPackets[port])
        : 0;
  }

  /** How many packets {@link #solePart} is of. */
  public long newSolePackets(int port) {
    return port < newPackets.length ? newPackets[port] : 0;
  }

  /** Adds what is new to what is remembered: once a tick for every port under control. */
  public void keepSole(int port) {
    if (port < newPackets.length) {
      solePackets[port] += newPackets[port];
      soleMarks[port] += newMarks[port];
      newPackets[port] = 0;
      newMarks[port] = 0;
    }
  }

  /** Packets of paths that cross no port under control but one. */
  public double solePackets(int port) {
    return port < solePackets.length ? solePackets[port] : 0;
  }

  /** Those of them with CE. */
  public double soleMarks(int port) {
    return port < soleMarks.length ? soleMarks[port] : 0;
  }

  /** Lets what a port alone has shown fade; by 0 all of it is forgotten. */
  public void fadeSole(int port, double keep) {
    if (port < solePackets.length) {
      solePackets[port] *= keep;
      soleMarks[port] *= keep;
    }
  }

  /** How many paths over several ports there is evidence of. */
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
    if (packets[path] >= LEAST_PACKETS && sole(path) == SEVERAL) {
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
