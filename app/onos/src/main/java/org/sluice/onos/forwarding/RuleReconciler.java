// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowEntry.FlowEntryState;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.FlowRuleOperations;
import org.onosproject.net.flow.FlowRuleOperationsContext;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.meter.MeterId;

/** Makes the flow tables what they should be: reads before it writes, writes the difference. */
final class RuleReconciler {
  private final FlowRuleService flows;
  private final ApplicationId application;

  RuleReconciler(FlowRuleService flows, ApplicationId application) {
    this.flows = flows;
    this.application = application;
  }

  /**
   * Brings a switch's rules to those wanted.
   *
   * @param uncertain rules that stay, as they are, if they stand
   * @param again also sends rules that ONOS takes for installed: the switch may have lost them
   * @return how many rules were added or removed
   */
  int reconcile(
      DeviceId device, Collection<FlowRule> wanted, Collection<FlowRule> uncertain, boolean again) {
    Map<FlowRule, FlowEntry> present = own(device);
    List<FlowRule> toAdd = new ArrayList<>();
    for (FlowRule rule : wanted) {
      FlowEntry entry = present.remove(rule);
      if (again || entry == null || !stands(entry) || !isSame(entry, rule)) {
        toAdd.add(rule);
      }
    }
    uncertain.forEach(present::remove);
    List<FlowRule> toRemove = new ArrayList<>();
    for (FlowEntry entry : present.values()) {
      if (stands(entry) || entry.state() == FlowEntryState.FAILED) {
        toRemove.add(entry);
      }
    }
    apply(toAdd, toRemove);
    return toAdd.size() + toRemove.size();
  }

  /** Takes back all own rules, everywhere. */
  void removeAll() {
    flows.removeFlowRulesById(application);
  }

  /**
   * Takes back rules that switches may have and ONOS does not have. It removes only what it knows,
   * so it receives them first.
   *
   * @return whether the switches did so within that time
   */
  boolean removeUnknown(Collection<FlowRule> unknown, long mostMillis) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    FlowRuleOperations.Builder operations = FlowRuleOperations.builder();
    unknown.forEach(operations::add);
    operations.newStage();
    unknown.forEach(operations::remove);
    flows.apply(
        operations.build(
            new FlowRuleOperationsContext() {
              @Override
              public void onSuccess(FlowRuleOperations all) {
                done.complete(true);
              }

              @Override
              public void onError(FlowRuleOperations failed) {
                done.complete(false);
              }
            }));
    return done.completeOnTimeout(false, mostMillis, TimeUnit.MILLISECONDS).join();
  }

  /** Takes back all own rules of these switches. */
  void removeAll(Collection<DeviceId> from) {
    List<FlowRule> toRemove = new ArrayList<>();
    for (DeviceId device : from) {
      for (FlowEntry entry : own(device).values()) {
        if (stands(entry) || entry.state() == FlowEntryState.FAILED) {
          toRemove.add(entry);
        }
      }
    }
    apply(List.of(), toRemove);
  }

  /** How many own rules of these switches ONOS still holds. */
  int count(Collection<DeviceId> on) {
    return on.stream().mapToInt(device -> own(device).size()).sum();
  }

  private Map<FlowRule, FlowEntry> own(DeviceId device) {
    Map<FlowRule, FlowEntry> own = new HashMap<>();
    for (FlowEntry entry : flows.getFlowEntries(device)) {
      if (entry.appId() == application.id()) {
        own.put(entry, entry);
      }
    }
    return own;
  }

  /** ONOS takes treatments for equal that lead through different meters. */
  private static boolean isSame(FlowEntry entry, FlowRule rule) {
    return entry.exactMatch(rule) && meters(entry).equals(meters(rule));
  }

  private static List<MeterId> meters(FlowRule rule) {
    List<MeterId> meters = new ArrayList<>();
    rule.treatment().meters().forEach(meter -> meters.add(meter.meterId()));
    return meters;
  }

  private static boolean stands(FlowEntry entry) {
    return entry.state() == FlowEntryState.ADDED || entry.state() == FlowEntryState.PENDING_ADD;
  }

  private void apply(List<FlowRule> toAdd, List<FlowRule> toRemove) {
    if (toAdd.isEmpty() && toRemove.isEmpty()) {
      return;
    }
    FlowRuleOperations.Builder operations = FlowRuleOperations.builder();
    toAdd.forEach(operations::add);
    toRemove.forEach(operations::remove);
    flows.apply(operations.build());
  }
}
