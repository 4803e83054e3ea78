// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.engine.control.EndpointShare;

/**
 * What one node knows of silent hosts: from which it receives nothing, and what the ports that it
 * decides about leave to their endpoints. As text: a number that grows, then a line for each host,
 * or for each endpoint with host, interface, port, what it may send there and what it sends. None
 * of these contains a blank. Immutable.
 */
final class NodeView {
  static final NodeView EMPTY = new NodeView(Set.of(), Map.of());

  /** A smaller relative change of what an endpoint may send is none. */
  private static final double NOTICEABLE = 0.05;

  private final Set<HostId> silent;
  private final Map<EndpointId, EndpointShare> shares;

  /**
   * A view.
   *
   * @param shares only of endpoints that a port bounds
   */
  NodeView(Set<HostId> silent, Map<EndpointId, EndpointShare> shares) {
    this.silent = Set.copyOf(silent);
    this.shares = Map.copyOf(shares);
  }

  Set<HostId> silent() {
    return silent;
  }

  Map<EndpointId, EndpointShare> shares() {
    return shares;
  }

  /** Whether others should know that it is another one. */
  boolean differsFrom(NodeView other) {
    return !silent.equals(other.silent)
        || !shares.keySet().equals(other.shares.keySet())
        || shares.entrySet().stream()
            .anyMatch(mine -> differ(mine.getValue(), other.shares.get(mine.getKey())));
  }

  private static boolean differ(EndpointShare one, EndpointShare other) {
    long before = other.shareBitsPerSecond();
    return !one.port().equals(other.port())
        || Math.abs(one.shareBitsPerSecond() - before) > NOTICEABLE * before;
  }

  String encode(long number) {
    StringBuilder text = new StringBuilder().append(number);
    new TreeSet<>(silent).forEach(host -> text.append('\n').append(host));
    new TreeMap<>(shares)
        .forEach(
            (endpoint, share) ->
                text.append('\n')
                    .append(endpoint.host())
                    .append(' ')
                    .append(endpoint.interfaceName())
                    .append(' ')
                    .append(share.port().orElseThrow())
                    .append(' ')
                    .append(share.shareBitsPerSecond())
                    .append(' ')
                    .append(share.takenBitsPerSecond()));
    return text.toString();
  }

  /**
   * Reads it back.
   *
   * @throws IllegalArgumentException if it is none
   */
  static NodeView decode(String text) {
    String[] lines = text.split("\n");
    Set<HostId> silent = new TreeSet<>();
    Map<EndpointId, EndpointShare> shares = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      HostId host = HostId.of(words[0]);
      if (words.length == 1) {
        silent.add(host);
      } else if (words.length == 5) {
        shares.put(
            EndpointId.of(host, words[1]),
            new EndpointShare(
                EndpointShare.UNBOUNDED,
                Optional.of(PortId.parse(words[2])),
                Long.parseLong(words[3]),
                Long.parseLong(words[4])));
      } else {
        throw new IllegalArgumentException("'" + lines[i] + "' is neither a host nor an endpoint");
      }
    }
    return new NodeView(silent, shares);
  }
}
