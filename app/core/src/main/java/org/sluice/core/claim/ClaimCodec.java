// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.claim;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;

/**
 * The addresses of one host's endpoints as text: the term of who decided it, then for each endpoint
 * a line with its interface and its addresses. Neither contains a blank. An address that went to
 * another host while this one was away has the time of that behind it, {@code
 * 10.0.0.1@1764288000000}.
 */
final class ClaimCodec {
  final long term;
  final Map<EndpointId, Set<IpAddress>> held;

  /** What went to others while the host was away. */
  final Map<IpAddress, Yielded> yielded;

  /** Whose an address was, and until when, ms of the cluster's steady time. */
  static final class Yielded {
    final EndpointId former;
    final long atMillis;

    Yielded(EndpointId former, long atMillis) {
      this.former = former;
      this.atMillis = atMillis;
    }
  }

  ClaimCodec(long term, Map<EndpointId, Set<IpAddress>> held, Map<IpAddress, Yielded> yielded) {
    this.term = term;
    this.held = held;
    this.yielded = yielded;
  }

  String encode() {
    return term + "\n" + body();
  }

  /** All but who decided it. */
  String body() {
    Map<EndpointId, StringBuilder> lines = new TreeMap<>();
    held.forEach(
        (endpoint, ips) -> ips.forEach(ip -> line(lines, endpoint).append(' ').append(ip)));
    yielded.forEach(
        (ip, by) -> line(lines, by.former).append(' ').append(ip).append('@').append(by.atMillis));
    return String.join("\n", lines.values());
  }

  private static StringBuilder line(Map<EndpointId, StringBuilder> lines, EndpointId endpoint) {
    return lines.computeIfAbsent(endpoint, id -> new StringBuilder(id.interfaceName()));
  }

  /**
   * Reads it back.
   *
   * @throws IllegalArgumentException if it is none
   */
  static ClaimCodec decode(HostId host, String text) {
    String[] lines = text.split("\n");
    Map<EndpointId, Set<IpAddress>> held = new TreeMap<>();
    Map<IpAddress, Yielded> yielded = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      EndpointId endpoint = EndpointId.of(host, words[0]);
      Set<IpAddress> ips = new TreeSet<>();
      for (int word = 1; word < words.length; word++) {
        String[] parts = words[word].split("@", 2);
        IpAddress ip = IpAddress.parse(parts[0]);
        if (parts.length == 1) {
          ips.add(ip);
        } else {
          yielded.put(ip, new Yielded(endpoint, Long.parseLong(parts[1])));
        }
      }
      if (!ips.isEmpty()) {
        held.put(endpoint, ips);
      }
    }
    return new ClaimCodec(Long.parseLong(lines[0]), held, yielded);
  }
}
