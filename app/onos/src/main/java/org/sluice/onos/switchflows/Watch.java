// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.switchflows;

import com.google.auto.value.AutoValue;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv4;
import org.onlab.packet.IpPrefix;
import org.onlab.packet.TpPort;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.sluice.api.deadline.FlowKey;
import org.sluice.onos.topology.OnosTypes;

/** A registration and the port behind which its source is. */
@AutoValue
abstract class Watch {
  /** ECT(1): what agents sign TCP's beginnings and ends with, and nothing else of TCP. */
  private static final byte SIGN = 1;

  static Watch of(FlowKey flow, ConnectPoint at) {
    return new AutoValue_Watch(flow, at);
  }

  abstract FlowKey flow();

  abstract ConnectPoint at();

  /** Matches what begins and ends connections of the flow. */
  TrafficSelector selector() {
    IpPrefix source = OnosTypes.ip(flow().source()).toIpPrefix();
    IpPrefix destination = OnosTypes.ip(flow().destination()).toIpPrefix();
    TrafficSelector.Builder selector =
        DefaultTrafficSelector.builder()
            .matchInPort(at().port())
            .matchIPProtocol(IPv4.PROTOCOL_TCP)
            .matchIPEcn(SIGN);
    if (source.isIp4()) {
      selector.matchEthType(Ethernet.TYPE_IPV4).matchIPSrc(source).matchIPDst(destination);
    } else {
      selector.matchEthType(Ethernet.TYPE_IPV6).matchIPv6Src(source).matchIPv6Dst(destination);
    }
    if (flow().sourcePort() != FlowKey.ANY_PORT) {
      selector.matchTcpSrc(TpPort.tpPort(flow().sourcePort()));
    }
    if (flow().destinationPort() != FlowKey.ANY_PORT) {
      selector.matchTcpDst(TpPort.tpPort(flow().destinationPort()));
    }
    return selector.build();
  }
}
