// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;

/**
 * The network as policies see it: links, groups of hosts, and which links lie between two groups.
 * Links and groups have numbers, from 0 on. A network that has changed gets a new one.
 */
public final class GroupTopology {
  private static final int[] UNKNOWN = {};

  private final List<PortId> links = new ArrayList<>();
  private long[] capacityBitsPerSecond = new long[16];
  private boolean[] isBetweenSwitches = new boolean[16];
  private final List<String> groups;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final int[][] paths;

  /**
   * @param groups their names, each once
   */
  public GroupTopology(List<String> groups) {
    this.groups = List.copyOf(groups);
    for (String group : this.groups) {
      if (numbers.put(group, numbers.size()) != null) {
        throw new IllegalArgumentException("group " + group + " was given before");
      }
    }
    paths = new int[groups.size() * groups.size()][];
    Arrays.fill(paths, UNKNOWN);
  }

  /**
   * Adds a link: what leaves by a port.
   *
   * @param capacity bit/s, above 0
   * @param betweenSwitches whether another switch is at its other end
   * @return its number
   */
  public int addLink(PortId port, long capacity, boolean betweenSwitches) {
    if (capacity <= 0) {
      throw new IllegalArgumentException("capacity must be above 0, not " + capacity);
    }
    int link = links.size();
    if (link == capacityBitsPerSecond.length) {
      capacityBitsPerSecond = Arrays.copyOf(capacityBitsPerSecond, 2 * link);
      isBetweenSwitches = Arrays.copyOf(isBetweenSwitches, 2 * link);
    }
    links.add(port);
    capacityBitsPerSecond[link] = capacity;
    isBetweenSwitches[link] = betweenSwitches;
    return link;
  }

  /**
   * Sets the links that traffic from one group to another can take; without any they count as
   * unknown.
   *
   * @param path kept, not to be changed
   */
  public void setPath(int source, int destination, int[] path) {
    paths[source * groups.size() + destination] = path;
  }

  int[] path(int source, int destination) {
    return paths[source * groups.size() + destination];
  }

  /** How many links there are. */
  public int links() {
    return links.size();
  }

  public PortId link(int link) {
    return links.get(link);
  }

  long capacityBitsPerSecond(int link) {
    return capacityBitsPerSecond[link];
  }

  boolean isBetweenSwitches(int link) {
    return isBetweenSwitches[link];
  }

  /** Names by number. */
  public List<String> groups() {
    return groups;
  }

  /** The numbers of groups; of all if none is named. Names that are not here are left out. */
  int[] numbers(List<String> names) {
    List<String> meant = names.isEmpty() ? groups : names;
    return meant.stream().filter(numbers::containsKey).mapToInt(numbers::get).toArray();
  }

  /** Whether there is a group of that name. */
  public boolean hasGroup(String name) {
    return numbers.containsKey(name);
  }

  /** Those of names that no group has. */
  public List<String> unknown(List<String> names) {
    List<String> unknown = new ArrayList<>(names);
    unknown.removeIf(this::hasGroup);
    return Collections.unmodifiableList(unknown);
  }
}
