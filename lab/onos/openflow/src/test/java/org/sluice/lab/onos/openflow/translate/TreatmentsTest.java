// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.onlab.packet.TpPort;
import org.onlab.packet.VlanId;
import org.onosproject.core.GroupId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.meter.MeterId;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;

class TreatmentsTest {

  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  /** ONOS compares treatments too: one that came back changed would be re-installed for ever. */
  @Test
  void everyTreatmentRoundTrips() {
    List<TrafficTreatment.Builder> treatments =
        List.of(
            treatment().drop(),
            treatment().setOutput(PortNumber.portNumber(2)),
            treatment().punt().wipeDeferred(),
            treatment().meter(MeterId.meterId(3)).transition(1),
            treatment().group(new GroupId(9)),
            treatment().deferred().setOutput(PortNumber.portNumber(4)),
            treatment().writeMetadata(5, 0xff).transition(2),
            treatment()
                .setEthDst(MacAddress.valueOf("02:00:00:00:00:01"))
                .setIpDst(IpAddress.valueOf("10.0.0.9"))
                .setIpDscp((byte) 10)
                .setTcpDst(TpPort.tpPort(8080))
                .decNwTtl()
                .setOutput(PortNumber.IN_PORT),
            treatment().pushVlan().setVlanId(VlanId.vlanId((short) 7)).setVlanPcp((byte) 3),
            treatment().popVlan().setOutput(PortNumber.portNumber(1)));
    for (TrafficTreatment.Builder builder : treatments) {
      TrafficTreatment treatment = builder.build();
      assertEquals(treatment, Treatments.treatment(Treatments.instructions(FACTORY, treatment)));
    }
  }

  private static TrafficTreatment.Builder treatment() {
    return DefaultTrafficTreatment.builder();
  }
}
