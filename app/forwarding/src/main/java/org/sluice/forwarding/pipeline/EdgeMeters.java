// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.core.silent.LimitGroups.Group;
import org.sluice.forwarding.spi.MeterTable;

/**
 * Meters that hold endpoints to a rate where they enter the network, by name of their group. Not
 * every platform keeps a changed rate, so none is changed.
 */
public final class EdgeMeters extends RenewedMeters<String> {
  /** So long after the rules were led past it a meter is taken back. */
  public static final long RETIRE_NANOS = SECONDS.toNanos(5);

  EdgeMeters(MeterTable meters, LongSupplier clockNanos) {
    super(
        meters,
        clockNanos,
        meter -> !CeMeters.isMarkMeter(meter) && !CapMeterTable.isCapMeter(meter),
        "endpoints of silent agents there are not limited at their edge ports");
  }

  /** The meters of a switch that rules may use now, by name of their group. */
  Map<String, Long> ensure(String datapath, Collection<Group> groups) {
    Map<String, Long> rates = new HashMap<>();
    groups.forEach(group -> rates.put(group.name(), kilobits(group.bitsPerSecond())));
    return ensure(datapath, rates);
  }

  /** What OpenFlow counts in; never a rate by which meters of another kind are known. */
  private static long kilobits(long bitsPerSecond) {
    long kilobits = Math.max(1, bitsPerSecond / 1000);
    boolean isOfOthers = CeMeters.isMarkRate(kilobits) || CapMeterTable.isCapRate(kilobits);
    return isOfOthers ? kilobits - 1 : kilobits;
  }
}
