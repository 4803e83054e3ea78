// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DefaultLink;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.provider.ProviderId;

/**
 * Remembers links over a restart of ONOS or a switch's reconnection, until discovery has had the
 * time to find them again. ONOS forgets flows over a restart; without knowing the links the rules
 * could not be given back at once, and traffic would stand still for some seconds.
 */
final class LinkMemory {
  /**
   * How long after a switch became available its remembered links count as up. Discovery sends
   * every 3 s and a link that is gone is given up after 10 s.
   */
  static final long GRACE_NANOS = 15_000_000_000L;

  private static final String SEPARATOR = ">";
  private static final ProviderId PROVIDER = new ProviderId("memory", "org.sluice");

  /** What a decision about a remembered link rests on. */
  interface Evidence {
    /** Whether the port exists, is up, and its switch is available. */
    boolean isUp(ConnectPoint port);

    /** When the switch became available, ns of a monotonic clock. */
    long availableSinceNanos(DeviceId device);

    /** Whether the switch is known but not available. */
    boolean isAway(DeviceId device);
  }

  private Set<String> remembered = new TreeSet<>();

  /** Starts from what {@link #stored} gave in an earlier life. */
  void restore(Collection<String> stored) {
    remembered = new TreeSet<>(stored);
  }

  /** What is remembered, in a form that can be stored. */
  Set<String> stored() {
    return new TreeSet<>(remembered);
  }

  /** There are no links at these ports, whatever was remembered. */
  void forget(Set<ConnectPoint> ports) {
    if (!ports.isEmpty()) {
      remembered.removeIf(
          text -> {
            Link link = parse(text);
            return ports.contains(link.src()) || ports.contains(link.dst());
          });
    }
  }

  /**
   * The links that count as up: those discovered, and those remembered of switches that came only
   * now. Learns the former, forgets what was not found again in time.
   */
  Collection<Link> merge(Collection<? extends Link> discovered, Evidence evidence, long nowNanos) {
    Map<String, Link> up = new LinkedHashMap<>();
    for (Link link : discovered) {
      up.put(text(link.src(), link.dst()), link);
    }
    remembered.addAll(up.keySet());
    for (String text : Set.copyOf(remembered)) {
      if (up.containsKey(text)) {
        continue;
      }
      Link link = parse(text);
      if (!evidence.isUp(link.src()) || !evidence.isUp(link.dst())) {
        continue; // A switch or port that is away says nothing about the link.
      }
      long since =
          Math.max(
              evidence.availableSinceNanos(link.src().deviceId()),
              evidence.availableSinceNanos(link.dst().deviceId()));
      if (nowNanos - since < GRACE_NANOS) {
        up.put(text, link);
      } else {
        remembered.remove(text);
      }
    }
    return up.values();
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
                evidence.isAway(link.src().deviceId()) && isUpOrAway(link.dst(), evidence)
                    || evidence.isAway(link.dst().deviceId()) && isUpOrAway(link.src(), evidence))
        .collect(Collectors.toList());
  }

  private static boolean isUpOrAway(ConnectPoint end, Evidence evidence) {
    return evidence.isUp(end) || evidence.isAway(end.deviceId());
  }

  private static String text(ConnectPoint src, ConnectPoint dst) {
    return src + SEPARATOR + dst;
  }

  private static Link parse(String text) {
    ConnectPoint[] ends =
        Arrays.stream(text.split(SEPARATOR))
            .map(ConnectPoint::deviceConnectPoint)
            .collect(Collectors.toList())
            .toArray(new ConnectPoint[2]);
    return DefaultLink.builder()
        .providerId(PROVIDER)
        .src(ends[0])
        .dst(ends[1])
        .type(Link.Type.DIRECT)
        .state(Link.State.ACTIVE)
        .build();
  }
}
