// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.switchflows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.core.deadline.RegisteredFlows;
import org.sluice.core.deadline.WatchList;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.Segment;
import org.sluice.forwarding.pipeline.ContributedRules;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.topology.AttachmentMap;

/**
 * Has the edge switch of every registered flow's source report what begins and ends the flow's
 * connections ({@code flows = switch}). Not every platform writes TCP flags into OpenFlow; so
 * agents sign SYN, FIN and RST in the ECN field, which all do write, and a rule for each
 * registration copies these packets, and no others, to the controller.
 */
public final class SwitchFlows implements PacketIn.Listener, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(SwitchFlows.class);

  private static final long CHECK_MILLIS = 1000;

  private final PacketIn packets;
  private final RuleTable rules;
  private final RegisteredFlows flows;
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final AttachmentMap attachments;
  private final ContributedRules contributed;
  private final Settings settings;
  private final JournalWriter journal;
  private final Execution execution;
  private final LongSupplier packetNanos;
  private final Runnable listener = this::checkSoon;
  private final AtomicBoolean due = new AtomicBoolean();
  private final Allowance allowance = new Allowance();
  private ScheduledExecutorService executor;
  private volatile boolean withdrawn;

  /**
   * By the number of the rule that requests them; those of the evaluation before are among them.
   */
  private volatile Map<Long, Watch> asked = Map.of();

  // The executor's thread alone:
  private final WatchList list = new WatchList();
  private Map<Long, Watch> before = Map.of();
  private boolean listening;

  /** Does nothing yet. */
  public SwitchFlows(
      ForwardingPlatform platform,
      RegisteredFlows flows,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      AttachmentMap attachments,
      ContributedRules contributed,
      Settings settings,
      JournalWriter journal,
      Execution execution,
      LongSupplier packetNanos) {
    packets = platform.packetIn();
    rules = platform.rules();
    this.flows = flows;
    this.endpoints = endpoints;
    this.locator = locator;
    this.attachments = attachments;
    this.contributed = contributed;
    this.settings = settings;
    this.journal = journal;
    this.execution = execution;
    this.packetNanos = packetNanos;
  }

  public void start() {
    executor = execution.sequential("switch-flows");
    settings.addListener(WithdrawStage.SWITCH_FLOWS, this);
    flows.registrations().addListener(listener);
    endpoints.epoch().addListener(listener);
    attachments.epoch().addListener(listener);
    executor.scheduleWithFixedDelay(this::check, 0, CHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  public void stop() {
    attachments.epoch().removeListener(listener);
    endpoints.epoch().removeListener(listener);
    flows.registrations().removeListener(listener);
    settings.removeListener(this);
    executor.shutdownNow();
    packets.removeListener(this);
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    checkSoon();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    contributed.set(getClass(), Map.of());
    packets.removeListener(this);
  }

  private void checkSoon() {
    if (due.compareAndSet(false, true)) {
      executor.execute(this::check);
    }
  }

  private void check() {
    due.set(false);
    try {
      boolean wanted = settings.parameters().switchFlows() && !withdrawn;
      if (wanted) {
        follow();
      } else if (listening) {
        forget();
      }
    } catch (RuntimeException e) {
      log.error(
          "Rules that report connections could not be updated; retrying at the next interval", e);
    }
  }

  private void follow() {
    if (!listening) {
      listening = true;
      packets.addListener(PacketIn.Stage.COPIES, this);
    }
    Map<Long, Watch> now = new HashMap<>();
    Map<String, List<Rule>> wanted = new HashMap<>();
    for (FlowKey flow : list.follow(flows.registered(), execution.clock().nanoTime())) {
      Optional<PortId> at = endpoints.holder(flow.source()).flatMap(locator::locate);
      if (at.isPresent() && !allowance.isPaused(at.get(), packetNanos.getAsLong())) {
        Watch watch = Watch.of(flow, at.get());
        Rule rule = contributed.copy(at.get().datapath(), watch.match());
        now.put(rules.cookie(rule), watch);
        wanted.computeIfAbsent(at.get().datapath(), d -> new ArrayList<>()).add(rule);
      }
    }
    Map<Long, Watch> both = new HashMap<>(before);
    both.putAll(now);
    before = now;
    asked = both;
    contributed.set(getClass(), wanted);
  }

  private void forget() {
    listening = false;
    packets.removeListener(this);
    list.clear();
    allowance.clear();
    before = Map.of();
    asked = Map.of();
    contributed.set(getClass(), Map.of());
  }

  /** Whatever our rules have copied has been forwarded. */
  @Override
  public boolean received(PacketIn.Packet packet) {
    Watch watch = packet.cookie().isPresent() ? asked.get(packet.cookie().getAsLong()) : null;
    if (watch == null) {
      return false;
    }
    EthernetFrame.parse(packet.frame())
        .flatMap(Segment::parse)
        .filter(segment -> packet.port().equals(watch.at()))
        .filter(segment -> watch.flow().covers(segment.connection()))
        .ifPresent(segment -> take(watch, segment));
    return true;
  }

  private void take(Watch watch, Segment segment) {
    if (!allowance.take(watch.at(), packetNanos.getAsLong())) {
      pause(watch.at());
    }
    report(segment);
  }

  private void report(Segment segment) {
    if (segment.begins()) {
      log.debug("{} begins", segment.connection());
      flows.connectionBegan(segment.connection());
    } else if (segment.ends()) {
      log.debug("{} ends", segment.connection());
      flows.connectionEnded(segment.connection());
    }
  }

  private void pause(PortId port) {
    String what =
        "Behind "
            + port
            + " more than "
            + Allowance.PER_SECOND
            + " connections of registered flows begin or end per second: its switch does not"
            + " report them for "
            + TimeUnit.NANOSECONDS.toSeconds(Allowance.PAUSE_NANOS)
            + " s";
    log.warn(what);
    journal.write(JournalEntry.Kind.REFUSED, what, "flows = switch; hosts report them until then");
    checkSoon();
  }
}
