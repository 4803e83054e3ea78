// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.meter;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterOperation;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMeterFlags;
import org.projectfloodlight.openflow.protocol.OFMeterMod;
import org.projectfloodlight.openflow.protocol.OFMeterModCommand;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBand;

/** Writes meter operations as OpenFlow 1.3 meter modifications. */
final class MeterMods {

  private MeterMods() {}

  static OFMeterMod meterMod(OFFactory factory, MeterOperation operation, long xid) {
    Meter meter = operation.meter();
    return factory
        .buildMeterMod()
        .setXid(xid)
        .setCommand(command(operation.type()))
        .setMeterId(meter.id().id())
        .setFlags(flags(meter))
        .setMeters(bands(factory, meter))
        .build();
  }

  private static OFMeterModCommand command(MeterOperation.Type type) {
    switch (type) {
      case ADD:
        return OFMeterModCommand.ADD;
      case MODIFY:
        return OFMeterModCommand.MODIFY;
      default:
        return OFMeterModCommand.DELETE;
    }
  }

  private static Set<OFMeterFlags> flags(Meter meter) {
    Set<OFMeterFlags> flags = EnumSet.noneOf(OFMeterFlags.class);
    flags.add(meter.unit() == Meter.Unit.PKTS_PER_SEC ? OFMeterFlags.PKTPS : OFMeterFlags.KBPS);
    if (meter.isBurst()) {
      flags.add(OFMeterFlags.BURST);
    }
    return flags;
  }

  private static List<OFMeterBand> bands(OFFactory factory, Meter meter) {
    return meter.bands().stream()
        .map(band -> band(factory, meter, band))
        .collect(Collectors.toList());
  }

  private static OFMeterBand band(OFFactory factory, Meter meter, Band band) {
    long burst = meter.isBurst() ? band.burst() : 0;
    if (band.type() == Band.Type.REMARK) {
      return factory
          .meterBands()
          .buildDscpRemark()
          .setRate(band.rate())
          .setBurstSize(burst)
          .setPrecLevel(band.dropPrecedence())
          .build();
    }
    return factory.meterBands().buildDrop().setRate(band.rate()).setBurstSize(burst).build();
  }
}
