// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.switchflows;

import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.PacketContext;
import org.onosproject.net.packet.PacketProcessor;
import org.onosproject.net.packet.PacketService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.deadline.FlowKey;
import org.sluice.core.deadline.RegisteredFlows;
import org.sluice.core.deadline.WatchList;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.forwarding.ContributedRules;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.OnosTypes;

/**
 * Has the edge switch of every registered flow's source report what begins and ends the flow's
 * connections ({@code flows = switch}). ONOS writes no TCP flags into OpenFlow; so agents sign SYN,
 * FIN and RST in the ECN field, which it does write, and a rule for each registration copies these
 * packets, and no others, to the controller.
 */
@Component(
    immediate = true,
    service = {})
public class SwitchFlows implements PacketProcessor, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(SwitchFlows.class);

  /** Before the part that delivers packets which no rule knows: these have been forwarded. */
  private static final int PRIORITY = PacketProcessor.director(1);

  private static final long CHECK_MILLIS = 1000;

  @Reference SluiceApplication application;
  @Reference RegisteredFlows flows;
  @Reference ReportedEndpoints endpoints;
  @Reference EndpointLocator locator;
  @Reference Attachments attachments;
  @Reference ContributedRules contributed;
  @Reference PacketService packets;

  private final LongSupplier clockNanos;
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

  public SwitchFlows() {
    this(System::nanoTime);
  }

  /** With another clock, for tests. */
  public SwitchFlows(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

  @Activate
  void activate() {
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "switch-flows", log));
    application.settings().addListener(WithdrawStage.SWITCH_FLOWS, this);
    flows.registrations().addListener(listener);
    endpoints.epoch().addListener(listener);
    attachments.epoch().addListener(listener);
    executor.scheduleWithFixedDelay(this::check, 0, CHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Deactivate
  void deactivate() {
    attachments.epoch().removeListener(listener);
    endpoints.epoch().removeListener(listener);
    flows.registrations().removeListener(listener);
    application.settings().removeListener(this);
    executor.shutdownNow();
    stopProcessing();
  }

  /** ONOS finds a processor by index: two threads that remove the same one fail. */
  private synchronized void stopProcessing() {
    packets.removeProcessor(this);
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    checkSoon();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    contributed.set(getClass(), Map.of());
    stopProcessing();
  }

  private void checkSoon() {
    if (due.compareAndSet(false, true)) {
      executor.execute(this::check);
    }
  }

  private void check() {
    due.set(false);
    try {
      boolean wanted = application.settings().parameters().switchFlows() && !withdrawn;
      if (wanted) {
        follow(clockNanos.getAsLong());
      } else if (listening) {
        forget();
      }
    } catch (RuntimeException e) {
      log.error(
          "Rules that report connections could not be updated; retrying at the next interval", e);
    }
  }

  private void follow(long nowNanos) {
    if (!listening) {
      listening = true;
      packets.addProcessor(this, PRIORITY);
    }
    Map<Long, Watch> now = new HashMap<>();
    Map<DeviceId, List<FlowRule>> rules = new HashMap<>();
    for (FlowKey flow : list.follow(flows.registered(), nowNanos)) {
      Optional<ConnectPoint> at =
          endpoints.holder(flow.source()).flatMap(locator::locate).map(OnosTypes::port);
      if (at.isPresent() && !allowance.isPaused(at.get(), nowNanos)) {
        Watch watch = Watch.of(flow, at.get());
        FlowRule rule = contributed.copy(at.get().deviceId(), watch.selector());
        now.put(rule.id().value(), watch);
        rules.computeIfAbsent(at.get().deviceId(), d -> new ArrayList<>()).add(rule);
      }
    }
    Map<Long, Watch> both = new HashMap<>(before);
    both.putAll(now);
    before = now;
    asked = both;
    contributed.set(getClass(), rules);
  }

  private void forget() {
    listening = false;
    stopProcessing();
    list.clear();
    allowance.clear();
    before = Map.of();
    asked = Map.of();
    contributed.set(getClass(), Map.of());
  }

  @Override
  public void process(PacketContext context) {
    InboundPacket packet = context.inPacket();
    Watch watch = packet.cookie().map(asked::get).orElse(null);
    if (context.isHandled() || watch == null) {
      return;
    }
    context.block(); // It has been forwarded.
    Optional<Segment> segment = Segment.parse(packet.parsed());
    if (!packet.receivedFrom().equals(watch.at())
        || segment.isEmpty()
        || !watch.flow().covers(segment.get().connection())) {
      return;
    }
    if (!allowance.take(watch.at(), clockNanos.getAsLong())) {
      pause(watch.at());
    }
    report(segment.get());
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

  private void pause(ConnectPoint port) {
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
    application
        .journal()
        .write(JournalEntry.Kind.REFUSED, what, "flows = switch; hosts report them until then");
    checkSoon();
  }
}
