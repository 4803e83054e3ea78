// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.LinkedHashSet;
import java.util.Set;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEvent;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchOperation;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchRequest;
import org.onosproject.store.trivial.SimpleFlowRuleStore;

/**
 * ONOS's simple flow store, which ignores a rule that it has, made to do as its distributed one: a
 * rule added again takes the place of the old one and goes out to the switch.
 */
@SuppressWarnings("deprecation") // ONOS's own stores and providers still use this form.
final class ReplacingFlowStore extends SimpleFlowRuleStore {
  @Override
  public void storeBatch(FlowRuleBatchOperation operation) {
    Set<FlowRuleBatchEntry> effective = new LinkedHashSet<>();
    for (FlowRuleBatchEntry entry : operation.getOperations()) {
      FlowRule rule = entry.target();
      FlowEntry present = getFlowEntry(rule);
      if (entry.operator() == FlowRuleBatchEntry.FlowRuleOperation.ADD) {
        if (present != null) {
          removeFlowRule(present);
        }
        storeFlowRule(rule);
        effective.add(entry);
      } else if (present != null) {
        deleteFlowRule(rule);
        effective.add(entry);
      }
    }
    notifyDelegate(
        FlowRuleBatchEvent.requested(
            new FlowRuleBatchRequest(operation.id(), effective), operation.deviceId()));
  }
}
