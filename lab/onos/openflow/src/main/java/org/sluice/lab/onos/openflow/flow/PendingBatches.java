// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.onosproject.net.flow.CompletedBatchOperation;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchOperation;

/**
 * Batches on their way: a batch is done when its barrier is answered, and has failed when that does
 * not happen within {@value #TIMEOUT_SECONDS} s.
 */
final class PendingBatches {

  private static final long TIMEOUT_SECONDS = 10;

  private final Cache<Long, Batch> batches;
  private final BiConsumer<Long, CompletedBatchOperation> outcome;

  PendingBatches(BiConsumer<Long, CompletedBatchOperation> outcome) {
    this.outcome = outcome;
    this.batches =
        CacheBuilder.newBuilder()
            .expireAfterWrite(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .removalListener(this::removed)
            .build();
  }

  void add(FlowRuleBatchOperation operation) {
    batches.put(operation.id(), new Batch(operation));
  }

  /** Notes that the switch, or we, refused one rule of a batch; unknown batches are ignored. */
  void refused(long batchId, long flowId) {
    Batch batch = batches.getIfPresent(batchId);
    if (batch != null) {
      batch.refuse(flowId);
    }
  }

  /** The switch has carried out everything before the barrier. */
  void barrierPassed(long batchId) {
    Batch batch = batches.getIfPresent(batchId);
    if (batch != null) {
      batches.invalidate(batchId);
      outcome.accept(batchId, batch.completed());
    }
  }

  /** Fails what has waited too long; the cache reads its clock only when it is used. */
  void expire() {
    batches.cleanUp();
  }

  private void removed(RemovalNotification<Long, Batch> notification) {
    if (notification.wasEvicted()) {
      outcome.accept(notification.getKey(), failed(notification.getValue().operation));
    }
  }

  static CompletedBatchOperation failed(FlowRuleBatchOperation operation) {
    Set<FlowRule> all =
        operation.getOperations().stream()
            .map(FlowRuleBatchEntry::target)
            .collect(Collectors.toSet());
    return new CompletedBatchOperation(false, all, operation.deviceId());
  }

  private static final class Batch {

    private final FlowRuleBatchOperation operation;
    private final Set<FlowRule> refused = ConcurrentHashMap.newKeySet();

    Batch(FlowRuleBatchOperation operation) {
      this.operation = operation;
    }

    void refuse(long flowId) {
      operation.getOperations().stream()
          .map(FlowRuleBatchEntry::target)
          .filter(rule -> rule.id().value() == flowId)
          .forEach(refused::add);
    }

    CompletedBatchOperation completed() {
      return new CompletedBatchOperation(
          refused.isEmpty(), Set.copyOf(refused), operation.deviceId());
    }
  }
}
