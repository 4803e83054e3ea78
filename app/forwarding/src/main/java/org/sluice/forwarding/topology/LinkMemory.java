// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.forwarding.spi.Link;

/**
 * Remembers links over a restart of the controller, a switch's reconnection or another master of
 * it, until discovery has had the time to find them again. The platform may forget flows over a
 * restart; without knowing the links the rules could not be given back at once, and traffic would
 * stand still for some seconds.
 */
final class LinkMemory {
  /**
   * How long after a disturbance of discovery remembered links count as up. Discovery sends every 3
   * s and a link that is gone is given up after 10 s.
   */
  static final long GRACE_NANOS = 15_000_000_000L;

  /** So long after a link was discovered last its ports are taken for edge ports by nobody. */
  static final long RECENT_NANOS = 60_000_000_000L;

  /** Links that are missed within so short a time are missed at once. */
  private static final long AT_ONCE_NANOS = 5_000_000_000L;

  private static final String SEPARATOR = ">";

  /** What a decision about a remembered link rests on. */
  interface Evidence {
    /** Whether the port exists, is up, and its switch is available. */
    boolean isUp(PortId port);

    /**
     * When discovery at an available switch was disturbed last, since the switch or another master
     * of it came, ns of a monotonic clock.
     */
    long disturbedNanos(String datapath);

    /** Whether the switch is known but not available. */
    boolean isAway(String datapath);
  }

  private Set<String> remembered = new TreeSet<>();

  /** When each link was discovered last, of those for which that is recent. */
  private final Map<String, Long> discoveredNanos = new TreeMap<>();

  private long lostNanos;
  private boolean hasLost;

  /** Starts from what {@link #stored} gave in an earlier life. */
  void restore(Collection<String> stored, long nowNanos) {
    remembered = new TreeSet<>(stored);
    remembered.forEach(text -> discoveredNanos.put(text, nowNanos));
  }

  /** What is remembered, in a form that can be stored. */
  Set<String> stored() {
    return new TreeSet<>(remembered);
  }

  /** There are no links at these ports, whatever was remembered. */
  void forget(Set<PortId> ports) {
    if (!ports.isEmpty()) {
      Predicate<String> isThere =
          text -> {
            Link link = parse(text);
            return ports.contains(link.from()) || ports.contains(link.to());
          };
      remembered.removeIf(isThere);
      discoveredNanos.keySet().removeIf(isThere);
    }
  }

  /**
   * The links that count as up: those discovered, and those remembered while discovery may be
   * disturbed. Learns the former, forgets what was not found again in time.
   */
  Collection<Link> merge(Collection<Link> discovered, Evidence evidence, long nowNanos) {
    Map<String, Link> up = new LinkedHashMap<>();
    for (Link link : discovered) {
      up.put(text(link), link);
    }
    remembered.addAll(up.keySet());
    up.keySet().forEach(text -> discoveredNanos.put(text, nowNanos));
    discoveredNanos.values().removeIf(nanos -> nowNanos - nanos >= RECENT_NANOS);
    followLoss(up.keySet(), evidence, nowNanos);
    for (String text : Set.copyOf(remembered)) {
      if (up.containsKey(text)) {
        continue;
      }
      Link link = parse(text);
      if (!evidence.isUp(link.from()) || !evidence.isUp(link.to())) {
        continue; // A switch or port that is away says nothing about the link.
      }
      long since =
          Math.max(
              evidence.disturbedNanos(link.from().datapath()),
              evidence.disturbedNanos(link.to().datapath()));
      if (nowNanos - since < GRACE_NANOS || hasLost && nowNanos - lostNanos < GRACE_NANOS) {
        up.put(text, link);
      } else {
        remembered.remove(text);
      }
    }
    return up.values();
  }

  /** Where most links are missed at once, and their ports are up, it is discovery that fails. */
  private void followLoss(Set<String> found, Evidence evidence, long nowNanos) {
    long missed =
        discoveredNanos.entrySet().stream()
            .filter(entry -> nowNanos - entry.getValue() < AT_ONCE_NANOS)
            .map(Map.Entry::getKey)
            .filter(text -> !found.contains(text))
            .map(LinkMemory::parse)
            .filter(link -> evidence.isUp(link.from()) && evidence.isUp(link.to()))
            .count();
    if (missed > found.size()) {
      lostNanos = nowNanos;
      hasLost = true;
    }
  }

  /** Links that were discovered a short while ago, or are now, whatever their ports are like. */
  Collection<Link> recent() {
    return discoveredNanos.keySet().stream().map(LinkMemory::parse).collect(Collectors.toList());
  }

  /**
   * Remembered links of switches that are away, whose other ends are up or away too. Such a switch
   * may have lost its controller alone, and go on forwarding; where nothing else leads to a
   * destination they are what there is to go by.
   */
  Collection<Link> ofSwitchesAway(Evidence evidence) {
    return remembered.stream()
        .map(LinkMemory::parse)
        .filter(
            link ->
                evidence.isAway(link.from().datapath()) && isUpOrAway(link.to(), evidence)
                    || evidence.isAway(link.to().datapath()) && isUpOrAway(link.from(), evidence))
        .collect(Collectors.toList());
  }

  private static boolean isUpOrAway(PortId end, Evidence evidence) {
    return evidence.isUp(end) || evidence.isAway(end.datapath());
  }

  private static String text(Link link) {
    return link.from() + SEPARATOR + link.to();
  }

  private static Link parse(String text) {
    String[] ends = text.split(SEPARATOR);
    return Link.of(PortId.parse(ends[0]), PortId.parse(ends[1]));
  }
}
