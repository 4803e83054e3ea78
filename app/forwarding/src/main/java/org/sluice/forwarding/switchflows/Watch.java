// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.switchflows;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.spi.Match;

/** A registration and the port behind which its source is. */
@AutoValue
abstract class Watch {
  /** ECT(1): what agents sign TCP's beginnings and ends with, and nothing else of TCP. */
  private static final int SIGN = 1;

  static Watch of(FlowKey flow, PortId at) {
    return new AutoValue_Watch(flow, at);
  }

  abstract FlowKey flow();

  abstract PortId at();

  /** Matches what begins and ends connections of the flow. */
  Match match() {
    Match.Builder match =
        Match.builder()
            .ethType(flow().source().isIpv4() ? EthernetFrame.TYPE_IPV4 : EthernetFrame.TYPE_IPV6)
            .inPort(at().number())
            .ipProto(EthernetFrame.PROTOCOL_TCP)
            .ipEcn(SIGN)
            .ipSrc(flow().source())
            .ipDst(flow().destination());
    if (flow().sourcePort() != FlowKey.ANY_PORT) {
      match.tcpSrc(flow().sourcePort());
    }
    if (flow().destinationPort() != FlowKey.ANY_PORT) {
      match.tcpDst(flow().destinationPort());
    }
    return match.build();
  }
}
