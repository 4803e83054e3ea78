// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.ActiveCap.Enforcer;
import org.sluice.engine.micro.CapDraft;

/** A feeder that is capped, or was a moment ago. Engine thread only. */
final class CapState {
  final PortId upstream;
  final PortId downstream;
  private Enforcer enforcer = Enforcer.NONE;
  private long bitsPerSecond;
  private long untilNanos;
  private int queuePackets;
  private int thresholdPackets;
  private double alpha;
  private double beta;
  private long floorBitsPerSecond;
  private int flows;

  /** When it ended; only if it has. */
  private long endedNanos;

  private boolean isActive;
  private boolean isBegun;

  // Since it was journaled that it begins:
  private long begunNanos;
  private long journaledNanos;
  private long journaledBitsPerSecond;
  private long leastBitsPerSecond;
  private long renewals;

  CapState(PortId upstream, PortId downstream) {
    this.upstream = upstream;
    this.downstream = downstream;
  }

  void take(CapDraft cap, Enforcer by) {
    enforcer = by;
    bitsPerSecond = cap.bitsPerSecond();
    untilNanos = cap.untilNanos();
    queuePackets = cap.queuePackets();
    thresholdPackets = cap.thresholdPackets();
    alpha = cap.alpha();
    beta = cap.beta();
    floorBitsPerSecond = cap.floorBitsPerSecond();
    flows = cap.flows();
    isActive = true;
    renewals++;
    leastBitsPerSecond = Math.min(leastBitsPerSecond, bitsPerSecond);
  }

  void end(long nowNanos) {
    isActive = false;
    endedNanos = nowNanos;
  }

  boolean isActive() {
    return isActive;
  }

  Enforcer enforcer() {
    return enforcer;
  }

  long bitsPerSecond() {
    return bitsPerSecond;
  }

  long endedNanos() {
    return endedNanos;
  }

  /** It is journaled that it begins. */
  void begun(long nowNanos) {
    isBegun = true;
    begunNanos = nowNanos;
    leastBitsPerSecond = bitsPerSecond;
    renewals = 1;
    journaled(nowNanos);
  }

  boolean isBegun() {
    return isBegun;
  }

  /** It is journaled as it is. */
  void journaled(long nowNanos) {
    journaledNanos = nowNanos;
    journaledBitsPerSecond = bitsPerSecond;
  }

  /** By how much it differs from what was journaled last, in parts of that. */
  double changeSinceJournaled() {
    return Math.abs(bitsPerSecond - journaledBitsPerSecond) / (double) journaledBitsPerSecond;
  }

  long journaledNanos() {
    return journaledNanos;
  }

  long lastedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(endedNanos - begunNanos);
  }

  long leastBitsPerSecond() {
    return leastBitsPerSecond;
  }

  long renewals() {
    return renewals;
  }

  ActiveCap describe(long nowNanos) {
    return ActiveCap.builder(upstream, downstream)
        .bitsPerSecond(bitsPerSecond)
        .enforcer(enforcer)
        .queuePackets(queuePackets)
        .thresholdPackets(thresholdPackets)
        .alpha(alpha)
        .beta(beta)
        .floorBitsPerSecond(floorBitsPerSecond)
        .flows(flows)
        .endsInMillis(TimeUnit.NANOSECONDS.toMillis(Math.max(0, untilNanos - nowNanos)))
        .build();
  }
}
