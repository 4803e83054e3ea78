// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import com.google.auto.value.AutoValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.EdgeLimit;

/** Which endpoints of a switch have a meter of their own, and which share one. */
public final class LimitGroups {
  /**
   * Most meters of a switch for single endpoints. Beyond it the rest of each port share one: so
   * many meters more at most as the switch has edge ports.
   */
  public static final int MOST_SINGLE = 256;

  private LimitGroups() {}

  /** Endpoints behind one port that go through one meter. */
  @AutoValue
  public abstract static class Group {
    static Group of(String name, PortId port, Set<IpAddress> ips, long bitsPerSecond) {
      return new AutoValue_LimitGroups_Group(name, port, Set.copyOf(ips), bitsPerSecond);
    }

    /** The endpoint, or the port; the same as long as it exists. */
    public abstract String name();

    public abstract PortId port();

    public abstract Set<IpAddress> ips();

    /** For all of them together. */
    public abstract long bitsPerSecond();
  }

  /** Sorts the limits of one switch: the first endpoints by name have meters of their own. */
  public static List<Group> of(Collection<EdgeLimit> limits) {
    return of(limits, MOST_SINGLE);
  }

  static List<Group> of(Collection<EdgeLimit> limits, int mostSingle) {
    List<EdgeLimit> ordered = new ArrayList<>(limits);
    ordered.sort(Comparator.comparing(EdgeLimit::endpoint));
    List<Group> groups = new ArrayList<>();
    Map<PortId, List<EdgeLimit>> rest = new TreeMap<>();
    for (EdgeLimit limit : ordered) {
      if (groups.size() < mostSingle) {
        groups.add(
            Group.of(
                limit.endpoint().toString(), limit.port(), limit.ips(), limit.bitsPerSecond()));
      } else {
        rest.computeIfAbsent(limit.port(), port -> new ArrayList<>()).add(limit);
      }
    }
    rest.forEach((port, shared) -> groups.add(together(port, shared)));
    return groups;
  }

  private static Group together(PortId port, List<EdgeLimit> shared) {
    Set<IpAddress> ips = new TreeSet<>();
    long sum = 0;
    for (EdgeLimit limit : shared) {
      ips.addAll(limit.ips());
      sum += limit.bitsPerSecond();
    }
    return Group.of(port.toString(), port, ips, sum);
  }
}
