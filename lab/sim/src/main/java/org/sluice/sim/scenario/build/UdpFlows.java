// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.transport.SendingPattern;
import org.sluice.sim.transport.UdpFlow;

/** UDP flows as a scenario describes them. */
final class UdpFlows {
  private static final int DEFAULT_PACKET_BYTES = 1500;

  private UdpFlows() {}

  static UdpFlow flow(Network network, String name, Fields at, Endpoint from, Endpoint to) {
    for (String key : new String[] {"bytes", "repeat", "every", "ecn"}) {
      if (at.has(key)) {
        throw at.problem(key, "the transport udp has no such key", "it has a rate, on and off");
      }
    }
    long packet = at.bytes("packet", DEFAULT_PACKET_BYTES);
    if (packet <= UdpFlow.HEADER_BYTES || packet > 65_535) {
      throw at.problem("packet", "no IP packet has that size", "give 29 B to 65535 B");
    }
    long rate = at.bitsPerSecond("rate", 0);
    if (rate <= 0) {
      throw at.problem("rate", "a UDP flow needs a rate above 0", "such as 1 Gbit/s");
    }
    return new UdpFlow(network, name, from, to, rate, (int) packet, spaced(at, pattern(at)));
  }

  private static SendingPattern pattern(Fields at) {
    if (at.has("on") != at.has("off")) {
      throw at.problem("", "on and off belong together", "give both, or neither");
    }
    long on = at.nanos("on", 1);
    long off = at.nanos("off", 1);
    if (on == 0 || off == 0) {
      throw at.problem("", "on and off must be above 0", "leave both out to send all the time");
    }
    if (at.has("turns") && !at.has("on")) {
      throw at.problem("turns", "there are no times of silence", "give on and off");
    }
    if (hasFixedTurns(at)) {
      return SendingPattern.fixed(on, off);
    }
    return at.has("on") ? SendingPattern.exponential(on, off) : SendingPattern.CONSTANT;
  }

  private static SendingPattern spaced(Fields at, SendingPattern pattern) {
    return at.text("gaps", "even").equals("random") ? pattern.withRandomGaps() : pattern;
  }

  /** Whether on and off are lengths, not means. */
  static boolean hasFixedTurns(Fields at) {
    return at.text("turns", "").equals("fixed");
  }
}
