// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRuleOperations;
import org.onosproject.net.flow.FlowRuleOperationsContext;
import org.onosproject.net.flow.FlowRuleService;
import org.sluice.core.runtime.Execution;
import org.sluice.forwarding.SwitchReads;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;

/** Rules by ONOS's flow rule service. */
final class OnosRules implements RuleTable {
  private final FlowRuleService flows;
  private final ApplicationId application;
  private final SwitchReads<Collection<StoredRule>> reads;

  OnosRules(FlowRuleService flows, ApplicationId application, Execution execution) {
    this.flows = flows;
    this.application = application;
    reads = new SwitchReads<>(execution, this::read);
  }

  void stop() {
    reads.stop();
  }

  /** What ONOS's store has. */
  private static final class StoredRule implements Entry {
    private final FlowEntry entry;
    private final Optional<Rule.Key> key;

    StoredRule(FlowEntry entry) {
      this.entry = entry;
      key = RuleReader.key(entry);
    }

    @Override
    public Optional<Rule.Key> key() {
      return key;
    }

    @Override
    public Optional<Treatment> treatment() {
      return RuleReader.treatment(entry.treatment());
    }

    @Override
    public State state() {
      switch (entry.state()) {
        case ADDED:
          return State.CONFIRMED;
        case PENDING_ADD:
          return State.SENT;
        case FAILED:
          return State.REFUSED;
        default:
          return State.LEAVING;
      }
    }

    @Override
    public long packets() {
      return entry.packets();
    }

    @Override
    public String name() {
      return entry.id().toString();
    }
  }

  @Override
  public Collection<? extends Entry> entries(String datapath) {
    return reads.of(datapath);
  }

  private Collection<StoredRule> read(String datapath) {
    List<StoredRule> own = new ArrayList<>();
    for (FlowEntry entry : flows.getFlowEntries(DeviceId.deviceId(datapath))) {
      if (entry.appId() == application.id()) {
        own.add(new StoredRule(entry));
      }
    }
    return own;
  }

  @Override
  public void apply(Collection<Rule> add, Collection<? extends Entry> remove) {
    FlowRuleOperations.Builder operations = FlowRuleOperations.builder();
    add.forEach(rule -> operations.add(RuleWriter.write(rule, application)));
    remove.forEach(entry -> operations.remove(((StoredRule) entry).entry));
    flows.apply(operations.build());
  }

  @Override
  public void removeAll() {
    flows.removeFlowRulesById(application);
  }

  /** ONOS removes only what it knows, so it receives them first. */
  @Override
  public CompletableFuture<Boolean> removeUnknown(Collection<Rule> unknown) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    FlowRuleOperations.Builder operations = FlowRuleOperations.builder();
    unknown.forEach(rule -> operations.add(RuleWriter.write(rule, application)));
    operations.newStage();
    unknown.forEach(rule -> operations.remove(RuleWriter.write(rule, application)));
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
    return done;
  }

  @Override
  public long cookie(Rule rule) {
    return RuleWriter.write(rule, application).id().value();
  }
}
