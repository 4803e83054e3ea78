// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import com.google.auto.value.AutoValue;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;

/** A registration as the cluster's store holds it. */
@AutoValue
abstract class StoredFlow {

  static StoredFlow of(
      long id,
      FlowKey key,
      TenantId tenant,
      long sizeBytes,
      long deadlineMicros,
      long beginsMicros,
      boolean promised) {
    return new AutoValue_StoredFlow(
        id, key, tenant, sizeBytes, deadlineMicros, beginsMicros, promised, false);
  }

  /** What it is once it has been decided about. */
  StoredFlow decided(long id, boolean promised) {
    return of(id, key(), tenant(), sizeBytes(), deadlineMicros(), beginsMicros(), promised);
  }

  /** What it is when its promise can no longer be kept. */
  StoredFlow withoutPromise() {
    return new AutoValue_StoredFlow(
        id(), key(), tenant(), sizeBytes(), deadlineMicros(), beginsMicros(), false, true);
  }

  /** All that is stored of it, as if nothing had been sent. */
  FlowStatus status() {
    return new FlowCopy(this, FlowState.WAITING, sizeBytes(), 0).status();
  }

  abstract long id();

  abstract FlowKey key();

  abstract TenantId tenant();

  abstract long sizeBytes();

  /** By the cluster's time of day, microseconds since the epoch. */
  abstract long deadlineMicros();

  /** When its connection begins, by the same clock; what came without it began at once. */
  abstract long beginsMicros();

  abstract boolean promised();

  /** It was promised once. */
  abstract boolean promiseLost();
}
