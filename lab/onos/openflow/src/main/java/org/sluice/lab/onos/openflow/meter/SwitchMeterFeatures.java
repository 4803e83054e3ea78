// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.meter;

import java.util.HashSet;
import java.util.Set;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultMeterFeatures;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterFeatures;
import org.projectfloodlight.openflow.protocol.OFMeterFeatures;

/**
 * What a switch says its meters can do; bits from OpenFlow 1.3.5, sections 7.3.5.12 and 7.3.4.5.
 */
final class SwitchMeterFeatures {

  private static final long BAND_DROP = 1 << 1;
  private static final long BAND_DSCP_REMARK = 1 << 2;
  private static final long FLAG_KBPS = 1;
  private static final long FLAG_PACKETS = 1 << 1;
  private static final long FLAG_BURST = 1 << 2;
  private static final long FLAG_STATS = 1 << 3;

  private SwitchMeterFeatures() {}

  /** Translates; {@code reported} is null for a switch without meters. */
  static MeterFeatures of(DeviceId deviceId, OFMeterFeatures reported) {
    if (reported == null || reported.getMaxMeter() == 0) {
      return DefaultMeterFeatures.noMeterFeatures(deviceId);
    }
    Set<Band.Type> bands = new HashSet<>();
    addIf(bands, reported.getBandTypes(), BAND_DROP, Band.Type.DROP);
    addIf(bands, reported.getBandTypes(), BAND_DSCP_REMARK, Band.Type.REMARK);
    Set<Meter.Unit> units = new HashSet<>();
    addIf(units, reported.getCapabilities(), FLAG_KBPS, Meter.Unit.KB_PER_SEC);
    addIf(units, reported.getCapabilities(), FLAG_PACKETS, Meter.Unit.PKTS_PER_SEC);
    return DefaultMeterFeatures.builder()
        .forDevice(deviceId)
        .withStartIndex(1L)
        .withEndIndex(reported.getMaxMeter())
        .withBandTypes(bands)
        .withUnits(units)
        .withMaxBands((byte) reported.getMaxBands())
        .withMaxColors((byte) reported.getMaxColor())
        .hasBurst((reported.getCapabilities() & FLAG_BURST) != 0)
        .hasStats((reported.getCapabilities() & FLAG_STATS) != 0)
        .build();
  }

  private static <T> void addIf(Set<T> set, long bits, long bit, T element) {
    if ((bits & bit) != 0) {
      set.add(element);
    }
  }
}
