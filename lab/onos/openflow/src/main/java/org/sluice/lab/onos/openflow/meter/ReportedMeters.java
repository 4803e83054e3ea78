// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.meter;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultBand;
import org.onosproject.net.meter.DefaultMeter;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterState;
import org.projectfloodlight.openflow.protocol.OFMeterBandStats;
import org.projectfloodlight.openflow.protocol.OFMeterStats;

/** Reads meters as a switch reports them; it reports counters, not rates nor owners. */
final class ReportedMeters {

  private ReportedMeters() {}

  static Collection<Meter> meters(
      DeviceId deviceId, ApplicationId owner, List<OFMeterStats> entries) {
    return entries.stream()
        .map(entry -> meter(deviceId, owner, entry))
        .collect(Collectors.toList());
  }

  private static Meter meter(DeviceId deviceId, ApplicationId owner, OFMeterStats entry) {
    DefaultMeter meter =
        (DefaultMeter)
            DefaultMeter.builder()
                .forDevice(deviceId)
                .fromApp(owner)
                .withCellId(MeterId.meterId(entry.getMeterId()))
                .withBands(bands(entry.getBandStats()))
                .build();
    meter.setState(MeterState.ADDED);
    meter.setLife(entry.getDurationSec());
    meter.setProcessedPackets(entry.getPacketInCount().getValue());
    meter.setProcessedBytes(entry.getByteInCount().getValue());
    meter.setReferenceCount(entry.getFlowCount());
    return meter;
  }

  private static Collection<Band> bands(List<OFMeterBandStats> entries) {
    return entries.stream()
        .map(
            entry -> {
              DefaultBand band = (DefaultBand) DefaultBand.builder().ofType(Band.Type.DROP).build();
              band.setPackets(entry.getPacketBandCount().getValue());
              band.setBytes(entry.getByteBandCount().getValue());
              return band;
            })
        .collect(Collectors.toList());
  }
}
