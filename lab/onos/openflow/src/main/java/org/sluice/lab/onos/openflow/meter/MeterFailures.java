// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.meter;

import org.onosproject.net.meter.MeterFailReason;
import org.projectfloodlight.openflow.protocol.OFMeterModFailedCode;

/** Why a switch refused a meter, in ONOS's words. */
final class MeterFailures {

  private MeterFailures() {}

  static MeterFailReason reason(OFMeterModFailedCode code) {
    switch (code) {
      case METER_EXISTS:
        return MeterFailReason.EXISTING_METER;
      case INVALID_METER:
        return MeterFailReason.INVALID_METER;
      case BAD_COMMAND:
        return MeterFailReason.UNKNOWN_COMMAND;
      case BAD_FLAGS:
        return MeterFailReason.UNKNOWN_FLAGS;
      case BAD_RATE:
        return MeterFailReason.BAD_RATE;
      case BAD_BURST:
        return MeterFailReason.BAD_BURST;
      case BAD_BAND:
        return MeterFailReason.BAD_BAND;
      case BAD_BAND_VALUE:
        return MeterFailReason.BAD_BAND_VALUE;
      case OUT_OF_METERS:
        return MeterFailReason.OUT_OF_METERS;
      case OUT_OF_BANDS:
        return MeterFailReason.OUT_OF_BANDS;
      default:
        return MeterFailReason.UNKNOWN;
    }
  }
}
