// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.HostObservation;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.PortQueues;
import org.sluice.core.registry.Capacities.Capacity;
import org.sluice.core.runtime.Clock;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.spi.CapMeter;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.micro.CapDraft;
import org.sluice.engine.micro.CapSink;
import org.sluice.engine.micro.MicroFlowControl;

/**
 * Drives the engine's Micro-flow with what port agents and hosts report: evaluates queues when the
 * law says so, as far as their agents have reported something new, and takes its decisions out.
 * Engine thread only.
 */
final class MicroFlowLoop implements CapSink {
  private static final Logger log = LoggerFactory.getLogger(MicroFlowLoop.class);
  private static final long REFUSALS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final MicroFlowContext context;
  private final Clock clock;
  private final BooleanSupplier leads;
  private final LevelThresholds thresholds;
  private final PortAgents agents = new PortAgents();
  private final QueueSets queueSets;
  private final CapMeterBook meters;
  private final CapJournal journal;
  private final CapOutbox outbox;

  /** The engine's times begin here: they are not below 0. */
  private final long originNanos;

  private Parameters parameters;
  private boolean isWithdrawn;
  private long nowNanos;
  private long nextRefusalsNanos;
  private long reportedRefusals;

  // While anything is to be decided; else null:
  private MicroFlowControl control;
  private Feeders feeders;
  private PortEstimates estimates;
  private DownstreamPorts downstream;
  private FlowIntake flows;
  private GuaranteedFloors floors;
  private boolean isCapping;
  private long fabricEpoch;
  private long pathsEpoch;

  /**
   * One that decides nothing yet.
   *
   * @param leads whether this node publishes levels
   * @param platform has switches meter
   */
  MicroFlowLoop(
      MicroFlowContext context,
      Clock clock,
      BooleanSupplier leads,
      LevelThresholds thresholds,
      Consumer<List<CapMeter>> platform) {
    this.context = context;
    this.clock = clock;
    this.leads = leads;
    this.thresholds = thresholds;
    this.originNanos = clock.nanoTime();
    this.nowNanos = originNanos;
    queueSets = new QueueSets(context, agents);
    meters = new CapMeterBook(platform);
    journal = new CapJournal(context.journal, clock);
    outbox = new CapOutbox(context, agents, meters, journal);
  }

  PortAgents agents() {
    return agents;
  }

  private long engineTime() {
    return nowNanos - originNanos;
  }

  // ------------------------------------------------------------ settings

  /** Takes over changed settings: everything begins anew with them. */
  void follow(Parameters now, long atNanos) {
    nowNanos = atNanos;
    if (isWithdrawn || parameters != null && isSame(parameters, now)) {
      return;
    }
    release();
    parameters = now;
    if (now.followsFlowSizes()) {
      begin();
    }
  }

  private static boolean isSame(Parameters before, Parameters now) {
    return before.capsInForce() == now.capsInForce()
        && before.followsFlowSizes() == now.followsFlowSizes()
        && before.tunesLevels() == now.tunesLevels()
        && before
            .get(SettingTable.CONTROL_PERIOD_MILLIS)
            .equals(now.get(SettingTable.CONTROL_PERIOD_MILLIS))
        && before.get(SettingTable.LEVELS).equals(now.get(SettingTable.LEVELS))
        && before
            .get(SettingTable.BACKGROUND_KILOBYTES)
            .equals(now.get(SettingTable.BACKGROUND_KILOBYTES))
        && before.get(SettingTable.BACKGROUND_DSCP).equals(now.get(SettingTable.BACKGROUND_DSCP))
        && before
            .get(SettingTable.FABRIC_ROUND_TRIP_MICROS)
            .equals(now.get(SettingTable.FABRIC_ROUND_TRIP_MICROS));
  }

  private void begin() {
    MicroFlowParameters law = lawParameters(parameters);
    isCapping = parameters.capsInForce() != SettingTable.Caps.OFF;
    control = new MicroFlowControl(law, this);
    feeders = new Feeders(control);
    long reportNanos =
        TimeUnit.MILLISECONDS.toNanos(parameters.get(SettingTable.CONTROL_PERIOD_MILLIS));
    estimates = new PortEstimates(context, agents, law, reportNanos);
    downstream = new DownstreamPorts(context, agents, estimates);
    flows = new FlowIntake(context, control, feeders, estimates, law.levelPeriodNanos());
    floors = new GuaranteedFloors(context.engine, control);
    meters.setDscp(parameters.get(SettingTable.BACKGROUND_DSCP));
    journal.setLaw(SettingTable.CAPS.write(parameters.get(SettingTable.CAPS)));
    fabricEpoch = Long.MIN_VALUE;
    pathsEpoch = Long.MIN_VALUE;
    if (parameters.tunesLevels() && law.levels() == MicroFlowParameters.LEAST_LEVELS) {
      levels(law.firstThresholdsBytes(), 0); // There is nothing to tune: bgt_size it is.
    }
  }

  private static MicroFlowParameters lawParameters(Parameters parameters) {
    return MicroFlowParameters.builder()
        .caps(law(parameters.capsInForce()))
        .levels(
            parameters.tunesLevels()
                ? parameters.get(SettingTable.LEVELS)
                : MicroFlowParameters.LEAST_LEVELS)
        .backgroundBytes(1000L * parameters.get(SettingTable.BACKGROUND_KILOBYTES))
        .roundTripNanos(
            TimeUnit.MICROSECONDS.toNanos(parameters.get(SettingTable.FABRIC_ROUND_TRIP_MICROS)))
        .build();
  }

  private static MicroFlowParameters.Caps law(SettingTable.Caps caps) {
    switch (caps) {
      case MICROFLOW:
        return MicroFlowParameters.Caps.MICROFLOW;
      case SLUICE:
        return MicroFlowParameters.Caps.SLUICE;
      default:
        return MicroFlowParameters.Caps.NONE;
    }
  }

  /** Caps end, background queues and meters go, levels are as agents are configured. */
  private void release() {
    if (control != null) {
      control.restoreAll();
      outbox.clear(engineTime());
      queueSets.clear();
      control = null;
      feeders = null;
      estimates = null;
      downstream = null;
      flows = null;
      floors = null;
      isCapping = false;
    }
    if (parameters != null && !parameters.tunesLevels()) {
      thresholds.clear();
    }
  }

  /** The same, for good. */
  void withdraw(long atNanos) {
    nowNanos = atNanos;
    isWithdrawn = true;
    release();
  }

  // ------------------------------------------------------------ what is reported

  void reported(FlowSizeReport report) {
    if (flows != null && nowNanos - report.receivedNanos() <= KeptQueue.FRESH_NANOS) {
      flows.take(report, engineTime());
    }
  }

  /** A host has sent, by pairs. */
  void sent(HostObservation observation) {
    if (isCapping) {
      estimates.sent(observation);
    }
  }

  /** A switch has read a port's counter. */
  void counted(PortSample sample, long receivedNanos) {
    if (isCapping && nowNanos - receivedNanos <= KeptQueue.FRESH_NANOS) {
      estimates.counted(sample, receivedNanos);
    }
  }

  /** Switches have seen flows, in this order. */
  void seenBySwitches(List<SampledFlow> seen, long atNanos) {
    nowNanos = atNanos;
    if (flows != null) {
      for (SampledFlow flow : seen) {
        flows.takeOfSwitches(flow, engineTime());
      }
    }
  }

  // ------------------------------------------------------------ steps

  /** Evaluates, decides, and sends what was decided. */
  void step(long atNanos) {
    nowNanos = atNanos;
    if (control == null) {
      return;
    }
    followPaths();
    if (isCapping) {
      followTopology();
      queueSets.follow(nowNanos);
      feeders.ports().forEach(this::check);
    }
    control.tick(engineTime());
    outbox.flush(flows.flows(), engineTime());
    if (engineTime() >= nextRefusalsNanos) {
      nextRefusalsNanos = engineTime() + REFUSALS_NANOS;
      reportRefusals();
    }
  }

  private void reportRefusals() {
    long refused = flows.refusedFlows() + flows.refusedSizes();
    if (refused != reportedRefusals) {
      reportedRefusals = refused;
      log.warn(
          "Flows are left out since hosts report too many, so far: {} reports of background flows,"
              + " sizes of {} flows that ended",
          flows.refusedFlows(),
          flows.refusedSizes());
    }
  }

  private void followPaths() {
    long epoch = context.paths.epoch() + context.endpoints.epoch().get();
    if (epoch != pathsEpoch) {
      pathsEpoch = epoch;
      feeders.forgetPaths();
    }
  }

  private void followTopology() {
    estimates.follow(nowNanos);
    long epoch = downstream.epoch();
    if (epoch != fabricEpoch) {
      fabricEpoch = epoch;
      feeders.follow(downstream.ports(), context.platform.topology().peers(), this::microQueue);
    }
  }

  private MicroQueue microQueue(PortId port) {
    return agents
        .withLevels(port)
        .map(MicroQueue.class::cast)
        .orElseGet(() -> estimates.find(port));
  }

  /** Queue_Monitor, at the intervals of the law: a sample is evaluated once. */
  private void check(Feeders.Watched port) {
    MicroQueue queue = port.queue;
    if (queue == null
        || !queue.isNew(nowNanos)
        || engineTime() < control.nextProbeNanos(port.number)) {
      return;
    }
    queue.evaluated();
    int packets = queue.microPackets();
    if (packets >= control.thresholdPackets(port.number)) {
      for (Feeder feeder : port.feeders) {
        control.observeFeeder(feeder.number, backgroundPackets(feeder));
      }
      floors.update(port, flows.flows(), nowNanos);
    }
    control.observePort(port.number, packets, queue.microSentBytes(), engineTime());
  }

  private int backgroundPackets(Feeder feeder) {
    return agents
        .find(feeder.upstream)
        .map(queue -> queue.backgroundPackets(feeder.downstream, nowNanos))
        .orElse(0);
  }

  // ------------------------------------------------------------ decisions

  @Override
  public void cap(CapDraft cap) {
    outbox.cap(cap, engineTime());
  }

  @Override
  public void restored(PortId upstream, PortId downstream) {
    outbox.restored(upstream, downstream, engineTime());
  }

  @Override
  public void background(FlowKey flow) {
    flows.begun(flow);
  }

  @Override
  public void forgotten(FlowKey flow) {
    flows.forgotten(flow);
  }

  @Override
  public void levels(long[] thresholdsBytes, long sizes) {
    if (!parameters.tunesLevels()) {
      return;
    }
    List<Long> before = thresholds.thresholdsBytes();
    if (thresholds.offer(thresholdsBytes) && leads.getAsBoolean()) {
      context
          .journal
          .journal()
          .append(
              clock.instant(),
              JournalEntry.Kind.LEVELS,
              "",
              Optional.empty(),
              Optional.empty(),
              "Flows leave their level for the next at " + thresholds.thresholdsBytes() + " bytes",
              String.format(
                  Locale.ROOT,
                  "%s; sizes of %d flows that ended",
                  before.isEmpty() ? "as agents are configured before" : before + " before",
                  sizes));
    }
  }

  // ------------------------------------------------------------ what others read

  List<PortQueues> queues() {
    List<PortQueues> found = new ArrayList<>();
    for (KeptQueue queue : agents.all()) {
      if (queue.isKnown() && context.authority.decidesAbout(queue.port)) {
        PortQueues.Builder described = described(queue.port);
        queue.describe(described, nowNanos);
        found.add(described.build());
      }
    }
    if (estimates != null) {
      for (EstimatedQueue queue : estimates.all()) {
        if (context.authority.decidesAbout(queue.port)) {
          PortQueues.Builder described = described(queue.port);
          queue.describe(described, nowNanos);
          found.add(described.build());
        }
      }
      found.sort(Comparator.comparing(PortQueues::port));
    }
    return found;
  }

  private PortQueues.Builder described(PortId port) {
    Feeders.Watched watched = feeders == null ? null : feeders.find(port);
    return PortQueues.builder(port)
        .capacityBitsPerSecond(
            context.capacities.capacity(port).map(Capacity::bitsPerSecond).orElse(0L))
        .thresholdPackets(watched == null ? 0 : control.thresholdPackets(watched.number))
        .capacityPackets(watched == null ? 0 : control.capacityPackets(watched.number));
  }

  /** In no order: there may be very many. */
  List<BackgroundFlow> backgroundFlows() {
    List<BackgroundFlow> found = new ArrayList<>();
    if (flows != null) {
      flows.flows().forEach(flow -> found.add(flow.describe(engineTime())));
    }
    return found;
  }

  List<ActiveCap> caps() {
    return outbox.active(engineTime());
  }

  /** Those of the last minute. */
  List<UnenforcedCap> unenforced() {
    return outbox.unenforced();
  }
}
