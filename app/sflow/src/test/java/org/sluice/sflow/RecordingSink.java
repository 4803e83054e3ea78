// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.ArrayList;
import java.util.List;

/** Writes down what is delivered. */
final class RecordingSink implements SampleSink {
  /** As {@code SOURCE rate RATE IN>OUT: PACKET}. */
  final List<String> flows = new ArrayList<>();

  final List<InterfaceCounters> counters = new ArrayList<>();
  final List<DatagramFault> malformed = new ArrayList<>();

  @Override
  public void flowSample(FlowSample sample) {
    SampledPacket packet = sample.packet;
    flows.add(
        sample.sourceClass
            + "/"
            + sample.sourceIndex
            + " rate "
            + sample.samplingRate
            + " "
            + sample.input
            + ">"
            + sample.output
            + ": "
            + (packet.isUsable() ? text(packet) : packet.fault()));
  }

  private static String text(SampledPacket packet) {
    String source =
        (packet.isIpv4
                ? Addresses.ipv4(packet.sourceLow)
                : Addresses.ipv6(packet.sourceHigh, packet.sourceLow))
            .toString();
    String destination =
        (packet.isIpv4
                ? Addresses.ipv4(packet.destinationLow)
                : Addresses.ipv6(packet.destinationHigh, packet.destinationLow))
            .toString();
    return packet.protocol
        + " "
        + source
        + ":"
        + packet.sourcePort
        + " "
        + destination
        + ":"
        + packet.destinationPort
        + " "
        + packet.ipBytes
        + " bytes"
        + (packet.endsFlow() ? ", the last" : "");
  }

  @Override
  public void counterSample(InterfaceCounters read) {
    counters.add(read);
  }

  @Override
  public void malformedSample(DatagramFault why) {
    malformed.add(why);
  }
}
