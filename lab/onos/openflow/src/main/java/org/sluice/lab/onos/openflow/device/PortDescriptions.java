// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.device;

import java.util.List;
import java.util.stream.Collectors;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.DefaultAnnotations;
import org.onosproject.net.Port;
import org.onosproject.net.device.DefaultPortDescription;
import org.onosproject.net.device.PortDescription;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.projectfloodlight.openflow.protocol.OFPortConfig;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortFeatures;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.sluice.lab.onos.openflow.translate.Ids;

/** Ports as an OpenFlow 1.3 switch describes them. */
final class PortDescriptions {

  private static final long KBPS_PER_MBPS = 1000;

  private PortDescriptions() {}

  static List<PortDescription> all(OpenFlowSwitch described) {
    return described.getPorts().stream().map(PortDescriptions::one).collect(Collectors.toList());
  }

  static PortDescription one(OFPortDesc port) {
    boolean adminDown = port.getConfig().contains(OFPortConfig.PORT_DOWN);
    boolean enabled = !adminDown && !port.getState().contains(OFPortState.LINK_DOWN);
    boolean fiber = port.getCurr().contains(OFPortFeatures.PF_FIBER);
    return DefaultPortDescription.builder()
        .withPortNumber(Ids.port(port.getPortNo()))
        .isEnabled(enabled)
        .type(fiber ? Port.Type.FIBER : Port.Type.COPPER)
        .portSpeed(port.getCurrSpeed() / KBPS_PER_MBPS)
        .annotations(
            DefaultAnnotations.builder()
                .set(AnnotationKeys.PORT_NAME, port.getName())
                .set(AnnotationKeys.PORT_MAC, port.getHwAddr().toString())
                .set(AnnotationKeys.ADMIN_STATE, adminDown ? "disabled" : "enabled")
                .build())
        .build();
  }
}
