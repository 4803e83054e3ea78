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
 * a line with its interface and its addresses. Neither contains a blank.
 */
final class ClaimCodec {
  final long term;
  final Map<EndpointId, Set<IpAddress>> held;

  private ClaimCodec(long term, Map<EndpointId, Set<IpAddress>> held) {
    this.term = term;
    this.held = held;
  }

  static String encode(long term, Map<EndpointId, Set<IpAddress>> held) {
    StringBuilder text = new StringBuilder().append(term);
    held.forEach(
        (endpoint, ips) -> {
          text.append('\n').append(endpoint.interfaceName());
          ips.forEach(ip -> text.append(' ').append(ip));
        });
    return text.toString();
  }

  /**
   * Reads it back.
   *
   * @throws IllegalArgumentException if it is none
   */
  static ClaimCodec decode(HostId host, String text) {
    String[] lines = text.split("\n");
    Map<EndpointId, Set<IpAddress>> held = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      Set<IpAddress> ips = new TreeSet<>();
      for (int word = 1; word < words.length; word++) {
        ips.add(IpAddress.parse(words[word]));
      }
      held.put(EndpointId.of(host, words[0]), ips);
    }
    return new ClaimCodec(Long.parseLong(lines[0]), held);
  }
}
