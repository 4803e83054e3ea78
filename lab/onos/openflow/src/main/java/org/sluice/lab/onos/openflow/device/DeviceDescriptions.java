// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.device;

import org.onlab.packet.ChassisId;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.DefaultAnnotations;
import org.onosproject.net.device.DefaultDeviceDescription;
import org.onosproject.net.device.DeviceDescription;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowSwitch;

/** A switch as it describes itself. */
final class DeviceDescriptions {

  private DeviceDescriptions() {}

  static DeviceDescription of(OpenFlowSwitch described) {
    DefaultAnnotations.Builder annotations =
        DefaultAnnotations.builder()
            .set(AnnotationKeys.PROTOCOL, described.factory().getVersion().toString())
            .set(AnnotationKeys.CHANNEL_ID, described.channelId())
            .set(AnnotationKeys.MANAGEMENT_ADDRESS, described.channelId().split(":")[0]);
    String datapath = described.datapathDescription();
    if (datapath != null && !datapath.isEmpty()) {
      annotations.set(AnnotationKeys.DATAPATH_DESCRIPTION, datapath);
    }
    return new DefaultDeviceDescription(
        Dpid.uri(described.getDpid()),
        described.deviceType(),
        described.manufacturerDescription(),
        described.hardwareDescription(),
        described.softwareDescription(),
        described.serialNumber(),
        new ChassisId(described.getId()),
        annotations.build());
  }
}
