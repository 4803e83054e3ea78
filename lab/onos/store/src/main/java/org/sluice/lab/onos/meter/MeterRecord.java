// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.meter;

import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterFailReason;

/** A stored meter and, when the switch refused the last operation on it, why. */
final class MeterRecord {

  private final Meter meter;
  private final MeterFailReason failure;

  MeterRecord(Meter meter, MeterFailReason failure) {
    this.meter = meter;
    this.failure = failure;
  }

  Meter meter() {
    return meter;
  }

  /** Null unless the switch refused the last operation. */
  MeterFailReason failure() {
    return failure;
  }
}
