// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.CompletedBatchOperation;
import org.onosproject.net.flow.DefaultFlowRule;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry.FlowRuleOperation;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchOperation;

class PendingBatchesTest {

  private static final DeviceId DEVICE = DeviceId.deviceId("of:0000000000000001");

  private final List<CompletedBatchOperation> outcomes = new ArrayList<>();
  private final PendingBatches batches = new PendingBatches((id, done) -> outcomes.add(done));

  @Test
  void barrierReplyCompletesABatch() {
    batches.add(batch(7, rule(1)));
    batches.barrierPassed(8);
    assertTrue(outcomes.isEmpty());
    batches.barrierPassed(7);
    assertTrue(outcomes.get(0).isSuccess());
  }

  @Test
  void onlyTheRejectedRuleFails() {
    FlowRule good = rule(1);
    FlowRule bad = rule(2);
    batches.add(batch(7, good, bad));
    batches.refused(7, bad.id().value());
    batches.barrierPassed(7);
    assertEquals(Set.of(bad), outcomes.get(0).failedItems());
  }

  @Test
  void duplicateBarrierReplyIsReportedOnce() {
    batches.add(batch(7, rule(1)));
    batches.barrierPassed(7);
    batches.barrierPassed(7);
    assertEquals(1, outcomes.size());
  }

  private static FlowRuleBatchOperation batch(long id, FlowRule... rules) {
    List<FlowRuleBatchEntry> entries = new ArrayList<>();
    for (FlowRule rule : rules) {
      entries.add(new FlowRuleBatchEntry(FlowRuleOperation.ADD, rule));
    }
    return new FlowRuleBatchOperation(entries, DEVICE, id);
  }

  private static FlowRule rule(int priority) {
    return DefaultFlowRule.builder()
        .forDevice(DEVICE)
        .withSelector(DefaultTrafficSelector.emptySelector())
        .withTreatment(DefaultTrafficTreatment.emptyTreatment())
        .withPriority(priority)
        .withCookie(priority)
        .makePermanent()
        .build();
  }
}
