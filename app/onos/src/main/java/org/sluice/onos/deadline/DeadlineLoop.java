// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.engine.Engine;
import org.sluice.engine.deadline.DeadlineParameters;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.FlowLog;
import org.sluice.engine.deadline.FlowRecord;
import org.sluice.engine.deadline.LossAnswers;
import org.sluice.engine.deadline.Outlook;
import org.sluice.onos.setting.Parameters;

/** Deadlines on the engine's thread, which alone calls this. */
final class DeadlineLoop {
  private static final long RESERVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Windows are taken back so long after the last deadline. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Mean of the way of news to here and of grants to hosts but for what waits for a period, ns. */
  private static final long WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final EngineSide side;
  private final Surroundings surroundings;
  private final FlowHistory history;
  private final GrantOutbox grants;
  private final Deadlines deadlines;
  private final LossAnswers losses;
  private final FlowPaths paths;
  private final PortSignals signals;
  private final HostFlows hosts;

  /** Registrations that have not ended. */
  private final Map<Long, StoredFlow> active = new HashMap<>();

  /** Those of them whose way is not known yet, with their deadlines, ns. */
  private final Map<Long, Long> pending = new HashMap<>();

  private Parameters parameters;
  private boolean isAtWork;
  private long authorityEpoch = Long.MIN_VALUE;
  private int governedPorts;
  private long endsSeen;
  private long reservedNanos = Long.MIN_VALUE;
  private long lastBusyNanos;

  DeadlineLoop(
      EngineSide side, Surroundings surroundings, FlowHistory history, Parameters parameters) {
    this.side = side;
    this.surroundings = surroundings;
    this.history = history;
    this.parameters = parameters;
    grants = new GrantOutbox(surroundings.link, surroundings.endpoints, surroundings.term);
    deadlines = new Deadlines(grants, engineParameters(parameters));
    losses = new LossAnswers(deadlines, grants);
    hosts = new HostFlows(deadlines, losses);
    paths =
        new FlowPaths(
            side,
            deadlines,
            surroundings.endpoints,
            surroundings.tenants,
            surroundings.capacities,
            hosts::nicBitsPerSecond);
    hosts.setPaths(paths);
    signals = new PortSignals(side.engine(), deadlines, paths);
  }

  private static DeadlineParameters engineParameters(Parameters parameters) {
    long period = TimeUnit.MILLISECONDS.toNanos(parameters.controlPeriodMillis());
    return DeadlineParameters.DEFAULTS
        .withLaw(DeadlineParameters.Law.valueOf(parameters.windows().name()))
        .withExpired(DeadlineParameters.Expired.valueOf(parameters.expired().name()))
        .withSegmentBytes(FlowPaths.SEGMENT_BYTES)
        .withLatencyNanos(2 * period + WAY_NANOS);
  }

  HostFlows hosts() {
    return hosts;
  }

  /** Whether flows are followed at all: somebody has a deadline, or had lately. */
  boolean isAtWork() {
    return isAtWork;
  }

  void reported(FlowReport report, long nowNanos) {
    if (isAtWork) {
      hosts.reported(report, nowNanos);
    }
  }

  /** Answers for packets that a port lost are its master's. */
  void lost(LossReport report, long nowNanos) {
    if (isAtWork && parameters.lossAnswers()) {
      for (Loss loss : report.losses()) {
        if (side.decidesAbout(loss.port())) {
          grants.setKeeper(loss.port(), report.host());
          losses.lost(loss, nowNanos);
        }
      }
    }
  }

  void queued(PortQueueObservation observation, long nowNanos) {
    if (isAtWork) {
      signals.observe(observation, nowNanos);
    }
  }

  // ------------------------------------------------------------ registrations

  /** Finds out all that a decision needs. */
  void prepare(FlowAsk ask, Outlook outlook, long nowNanos) throws SluiceException {
    if (isOff()) {
      throw FlowCheck.switchedOff();
    }
    if (ask.isNew()) {
      prepareNew(ask, outlook);
    } else {
      prepareChange(ask, outlook);
    }
    if (ask.deadlineNanos <= nowNanos) {
      throw FlowCheck.unavailable("The deadline passed before the controller could decide");
    }
  }

  /** What is promised now; ports on the ways of these are made known to it. */
  Outlook outlook(List<FlowAsk> asks, long nowNanos) {
    isAtWork = isAtWork || !isOff();
    lastBusyNanos = nowNanos;
    paths.follow();
    asks.stream().filter(FlowAsk::isNew).forEach(ask -> paths.path(ask.key));
    signals.step(nowNanos, isAcross());
    return deadlines.outlook(nowNanos);
  }

  private void prepareNew(FlowAsk ask, Outlook outlook) throws SluiceException {
    FlowKey key = ask.key;
    Optional<ReportedEndpoint> source = surroundings.endpoints.holder(key.source());
    if (source.isEmpty()) {
      throw SluiceException.conflict(
          "source",
          key.source(),
          "No host's agent reports an endpoint with this address",
          "Use the address of an endpoint: sluice-endpoints lists them");
    }
    ask.path =
        paths
            .path(key)
            .orElseThrow(
                () ->
                    SluiceException.conflict(
                        "destination",
                        key.destination(),
                        "No way from " + key.source() + " to this address is known",
                        "Use the address of an endpoint; if it is one, try again when it has sent"
                            + " something"));
    if (deadlines.isClaimed(key)) {
      throw FlowCheck.claimed(key);
    }
    long due = ask.dueInNanos.getAsLong();
    ask.deadlineNanos = ask.arrivedNanos + due;
    ask.stored =
        StoredFlow.of(
            FlowAsk.NEW,
            key,
            surroundings.tenants.tenantOf(source.get()).id(),
            ask.sizeBytes.getAsLong(),
            ask.arrivedMicros + TimeUnit.NANOSECONDS.toMicros(due),
            false);
    ask.question = deadlines.question(outlook, key, ask.stored.sizeBytes(), ask.path, 0);
  }

  private void prepareChange(FlowAsk ask, Outlook outlook) throws SluiceException {
    StoredFlow before = active.get(ask.id);
    FlowRecord record = deadlines.registration(ask.id).orElse(null);
    if (before == null || record == null) {
      throw history.contains(ask.id) ? FlowCheck.ended(ask.id) : FlowCheck.unknown(ask.id);
    }
    boolean moved = ask.dueInNanos.isPresent();
    long due = ask.dueInNanos.orElse(0);
    ask.deadlineNanos = moved ? ask.arrivedNanos + due : record.deadlineNanos();
    ask.stored =
        StoredFlow.of(
            ask.id,
            before.key(),
            before.tenant(),
            ask.sizeBytes.orElse(before.sizeBytes()),
            moved
                ? ask.arrivedMicros + TimeUnit.NANOSECONDS.toMicros(due)
                : before.deadlineMicros(),
            before.promised());
    ask.question = deadlines.question(outlook, ask.id, ask.stored.sizeBytes());
  }

  /** Makes true what was decided here, under the number and with the promise that it got. */
  FlowStatus make(FlowAsk ask, StoredFlow decided, long nowNanos) throws SluiceException {
    if (ask.isNew()) {
      if (deadlines.isClaimed(decided.key())) {
        throw FlowCheck.claimed(decided.key());
      }
      active.put(decided.id(), decided);
      admit(decided, ask.path, ask.deadlineNanos, nowNanos);
    } else {
      active.put(decided.id(), decided);
      change(decided, ask.deadlineNanos, nowNanos);
    }
    noteEnds(nowNanos);
    return flow(decided.id(), nowNanos).orElseThrow(() -> FlowCheck.unknown(decided.id()));
  }

  private void admit(StoredFlow flow, List<PortId> path, long deadlineNanos, long nowNanos) {
    deadlines.admit(
        flow.id(), flow.key(), flow.sizeBytes(), deadlineNanos, path, 0, flow.promised(), nowNanos);
  }

  private void change(StoredFlow flow, long deadlineNanos, long nowNanos) {
    deadlines.change(flow.id(), flow.sizeBytes(), deadlineNanos, flow.promised(), nowNanos);
  }

  /**
   * Takes over what the cluster's store holds.
   *
   * @param wallMicros the time of day now
   */
  void stored(StoredFlow flow, long wallMicros, long nowNanos) {
    StoredFlow before = active.get(flow.id());
    long deadline = nowNanos + TimeUnit.MICROSECONDS.toNanos(flow.deadlineMicros() - wallMicros);
    if (isOff() || flow.equals(before) || history.contains(flow.id()) || deadline <= nowNanos) {
      return;
    }
    isAtWork = true;
    active.put(flow.id(), flow);
    if (before == null || pending.containsKey(flow.id())) {
      pending.put(flow.id(), deadline);
      admitPending(nowNanos);
    } else {
      boolean moved = flow.deadlineMicros() != before.deadlineMicros();
      long known =
          deadlines.registration(flow.id()).map(FlowRecord::deadlineNanos).orElse(deadline);
      change(flow, moved ? deadline : known, nowNanos);
    }
  }

  /** Those of whom nothing was known but what the store says, as soon as their ways are known. */
  private void admitPending(long nowNanos) {
    for (Map.Entry<Long, Long> each : List.copyOf(pending.entrySet())) {
      StoredFlow flow = active.get(each.getKey());
      if (each.getValue() <= nowNanos) {
        pending.remove(flow.id());
        active.remove(flow.id());
        FlowStatus ended = status(flow, FlowState.NEVER_SENT, flow.sizeBytes(), 0);
        history.add(ended, each.getValue(), nowNanos);
        continue;
      }
      Optional<List<PortId>> path = paths.path(flow.key());
      if (path.isPresent() && !deadlines.isClaimed(flow.key())) {
        pending.remove(flow.id());
        admit(flow, path.get(), each.getValue(), nowNanos);
      }
    }
  }

  /** It was taken back; whether it was there. */
  boolean remove(long id, long nowNanos) {
    StoredFlow flow = active.get(id);
    if (flow == null) {
      return false;
    }
    Long waiting = pending.remove(id);
    if (waiting != null) {
      active.remove(id);
      FlowStatus removed = status(flow, FlowState.REMOVED, flow.sizeBytes(), 0);
      history.add(removed, waiting, nowNanos);
    } else {
      deadlines.remove(id, nowNanos);
      noteEnds(nowNanos);
    }
    return true;
  }

  /** All is over: every window is taken back. */
  void releaseAll(long nowNanos) {
    deadlines.releaseAll(nowNanos);
    active.clear();
    pending.clear();
    grants.flush();
    side.engine().reserve(sink -> {});
    isAtWork = false;
  }

  // ------------------------------------------------------------ steps

  private boolean isOff() {
    return parameters.deadlines() == Parameters.Deadlines.OFF;
  }

  private boolean isAcross() {
    return parameters.deadlines() == Parameters.Deadlines.ACROSS && parameters.enforcement();
  }

  /** Before anything else in a step: what comes is judged by the parameters of now. */
  void follow(Parameters now, long nowNanos) {
    if (!now.equals(parameters)) {
      parameters = now;
      deadlines.setParameters(engineParameters(now));
      if (isOff()) {
        releaseAll(nowNanos);
      }
    }
  }

  void step(long nowNanos) {
    if (!isAtWork) {
      return;
    }
    paths.follow();
    followAuthority();
    admitPending(nowNanos);
    hosts.step(nowNanos, TimeUnit.MILLISECONDS.toNanos(parameters.leaseMillis()));
    signals.step(nowNanos, isAcross());
    deadlines.tick(nowNanos);
    losses.tick(nowNanos);
    noteEnds(nowNanos);
    reserve(nowNanos);
    grants.flush();
    if (!active.isEmpty()) {
      lastBusyNanos = nowNanos;
    } else if (nowNanos - lastBusyNanos > LINGER_NANOS) {
      releaseAll(nowNanos);
    }
  }

  private void followAuthority() {
    long epoch = side.authorityEpoch();
    if (epoch != authorityEpoch || paths.watched().size() != governedPorts) {
      authorityEpoch = epoch;
      governedPorts = paths.watched().size();
      paths.watched().forEach(port -> deadlines.setGoverned(port, side.decidesAbout(port)));
    }
  }

  /** An admitted deadline is a guarantee. */
  private void reserve(long nowNanos) {
    if (reservedNanos != Long.MIN_VALUE && nowNanos - reservedNanos < RESERVE_NANOS) {
      return;
    }
    reservedNanos = nowNanos;
    side.engine()
        .reserve(
            sink -> {
              if (isAcross()) {
                deadlines.rates(nowNanos, (flow, port, rate) -> reserve(sink, flow, port, rate));
              }
            });
  }

  private void reserve(
      Engine.ReservationSink sink, FlowKey flow, PortId port, double bytesPerSecond) {
    if (paths.watched().contains(port)) {
      double bitsPerSecond = bytesPerSecond * 8 / FlowPaths.PAYLOAD_PART;
      surroundings
          .endpoints
          .holder(flow.source())
          .ifPresent(source -> sink.add(source.id(), port, bitsPerSecond));
    }
  }

  private void noteEnds(long nowNanos) {
    FlowLog log = deadlines.ended();
    int news = (int) Math.min(FlowLog.CAPACITY, log.total() - endsSeen);
    endsSeen = log.total();
    List<FlowLog.Entry> latest = log.latest(news);
    for (int i = latest.size() - 1; i >= 0; i--) {
      FlowRecord record = latest.get(i).flow();
      StoredFlow flow = active.remove(record.id());
      if (flow != null) {
        FlowState state = FlowState.valueOf(latest.get(i).outcome().name());
        long left = record.remainingBytes();
        long due = record.deadlineNanos() - nowNanos;
        history.add(
            status(flow, state, left, due), record.deadlineNanos(), latest.get(i).endNanos());
      }
    }
  }

  // ------------------------------------------------------------ what others may know

  List<FlowStatus> flows(long nowNanos) {
    List<FlowStatus> found = new ArrayList<>();
    new HashSet<>(active.keySet()).forEach(id -> flow(id, nowNanos).ifPresent(found::add));
    return found;
  }

  Optional<FlowStatus> flow(long id, long nowNanos) {
    StoredFlow flow = active.get(id);
    if (flow == null) {
      return history.flow(id, nowNanos);
    }
    Optional<FlowRecord> record = deadlines.registration(id);
    if (record.isEmpty()) {
      long due = pending.getOrDefault(id, nowNanos) - nowNanos;
      return Optional.of(status(flow, FlowState.WAITING, flow.sizeBytes(), due));
    }
    long left = record.get().remainingBytes();
    FlowState state = record.get().sending() ? FlowState.SENDING : FlowState.WAITING;
    return Optional.of(status(flow, state, left, record.get().deadlineNanos() - nowNanos));
  }

  List<DeadlineSummary.CongestedPort> congestedPorts() {
    List<DeadlineSummary.CongestedPort> found = new ArrayList<>();
    deadlines
        .totalWindows()
        .forEach((port, bytes) -> found.add(DeadlineSummary.CongestedPort.of(port, bytes)));
    return found;
  }

  private static FlowStatus status(
      StoredFlow flow, FlowState state, long remainingBytes, long dueInNanos) {
    return FlowStatus.builder()
        .id(flow.id())
        .flow(flow.key())
        .tenant(flow.tenant())
        .sizeBytes(flow.sizeBytes())
        .remainingBytes(remainingBytes)
        .deadline(WallClock.instant(flow.deadlineMicros()))
        .dueInNanos(dueInNanos)
        .promised(flow.promised())
        .state(state)
        .build();
  }
}
