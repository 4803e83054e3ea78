// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;

/** What is known of a registration at a moment, cheap to make: the engine's thread does. */
final class FlowCopy {
  private final StoredFlow flow;
  private final FlowState state;
  private final long remainingBytes;
  private final long dueInNanos;

  FlowCopy(StoredFlow flow, FlowState state, long remainingBytes, long dueInNanos) {
    this.flow = flow;
    this.state = state;
    this.remainingBytes = remainingBytes;
    this.dueInNanos = dueInNanos;
  }

  /** In others' words, on any thread. */
  FlowStatus status() {
    return FlowStatus.builder()
        .id(flow.id())
        .flow(flow.key())
        .tenant(flow.tenant())
        .sizeBytes(flow.sizeBytes())
        .remainingBytes(remainingBytes)
        .deadline(Instant.EPOCH.plus(flow.deadlineMicros(), ChronoUnit.MICROS))
        .dueInNanos(dueInNanos)
        .promised(flow.promised())
        .promiseLost(flow.promiseLost())
        .state(state)
        .build();
  }
}
