// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.engine.Engine;
import org.sluice.engine.deadline.DeadlineParameters;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.LossAnswers;
import org.sluice.engine.deadline.Outlook;
import org.sluice.engine.deadline.Rerouting;
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
  private final GrantOutbox grants;
  private final Deadlines deadlines;
  private final LossAnswers losses;
  private final FlowPaths paths;
  private final PortSignals signals;
  private final HostFlows hosts;
  private final Registrations registrations;
  private final Rerouting rerouting;
  private final Consumer<Outlook> reviewer;

  private Parameters parameters;
  private boolean isAtWork;
  private long authorityEpoch = Long.MIN_VALUE;
  private int governedPorts;
  private long waysEpoch = Long.MIN_VALUE;
  private long reservedNanos = Long.MIN_VALUE;
  private long lastBusyNanos;

  /**
   * One that knows nothing yet.
   *
   * @param reviewer hears that flows may have got other ports, or ports another capacity, and what
   *     could be kept before
   */
  DeadlineLoop(
      EngineSide side,
      Surroundings surroundings,
      FlowHistory history,
      Parameters parameters,
      Consumer<Outlook> reviewer) {
    this.side = side;
    this.surroundings = surroundings;
    this.parameters = parameters;
    this.reviewer = reviewer;
    grants = new GrantOutbox(surroundings.link, surroundings.endpoints, surroundings.term);
    deadlines = new Deadlines(grants, engineParameters(parameters));
    losses = new LossAnswers(deadlines, grants);
    hosts = new HostFlows(deadlines, losses);
    hosts.sight().setAsked(parameters.switchFlows());
    paths =
        new FlowPaths(
            side,
            deadlines,
            surroundings.endpoints,
            surroundings.tenants,
            surroundings.capacities,
            hosts);
    hosts.setPaths(paths);
    signals = new PortSignals(side.engine(), deadlines, paths);
    rerouting = new Rerouting(deadlines, paths);
    registrations =
        new Registrations(deadlines, paths, surroundings, history, surroundings.chronicle);
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

  Registrations registrations() {
    return registrations;
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

  void seenToBegin(FlowKey connection, long nowNanos) {
    if (isAtWork) {
      hosts.seenToBegin(connection, nowNanos);
    }
  }

  void seenToEnd(FlowKey connection, long nowNanos) {
    if (isAtWork) {
      hosts.sight().ends(connection, nowNanos);
    }
  }

  /** What is registered, if that may have changed since this was asked last. */
  Optional<Set<FlowKey>> takeRegistered() {
    return registrations.takeChange();
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
    registrations.prepare(ask, outlook, nowNanos);
  }

  /**
   * Takes over what the cluster's store holds.
   *
   * @param wallMicros the time of day now
   */
  void stored(StoredFlow flow, long wallMicros, long nowNanos) {
    if (!isOff() && registrations.stored(flow, wallMicros, nowNanos)) {
      isAtWork = true;
    }
  }

  /** What is promised now; ports on the ways of these are made known to it. */
  Outlook outlook(List<FlowAsk> asks, long nowNanos) {
    isAtWork = isAtWork || !isOff();
    lastBusyNanos = nowNanos;
    followWays(nowNanos);
    asks.stream().filter(FlowAsk::isNew).forEach(ask -> paths.path(ask.key));
    signals.step(nowNanos, isAcross());
    return deadlines.outlook(nowNanos);
  }

  /** What is promised now, as of the time of another outlook, so that the two can be compared. */
  Outlook outlookLike(Outlook other, long nowNanos) {
    signals.step(nowNanos, isAcross());
    return deadlines.outlook(other.nowNanos());
  }

  /** All is over: every window is taken back. */
  void releaseAll(long nowNanos) {
    deadlines.releaseAll(nowNanos);
    hosts.sight().clear();
    registrations.clear();
    grants.flush();
    side.engine().reserve(sink -> {});
    isAtWork = false;
  }

  // ------------------------------------------------------------ steps

  /** Whether nobody may have a deadline. */
  boolean isOff() {
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
      hosts.sight().setAsked(now.switchFlows());
      if (isOff()) {
        releaseAll(nowNanos);
      }
    }
  }

  void step(long nowNanos) {
    surroundings.chronicle.tick(nowNanos);
    isAtWork |= !registrations.isEmpty(); // All may have been over while one was decided about.
    if (!isAtWork) {
      return;
    }
    followWays(nowNanos);
    rerouting.step(nowNanos).ifPresent(reviewer);
    followAuthority();
    registrations.admitPending(nowNanos);
    hosts.step(nowNanos, TimeUnit.MILLISECONDS.toNanos(parameters.leaseMillis()));
    signals.step(nowNanos, isAcross());
    deadlines.tick(nowNanos);
    losses.tick(nowNanos);
    registrations.noteEnds(nowNanos);
    reserve(nowNanos);
    grants.flush();
    if (!registrations.isEmpty()) {
      lastBusyNanos = nowNanos;
    } else if (nowNanos - lastBusyNanos > LINGER_NANOS) {
      releaseAll(nowNanos);
    }
  }

  /** Whatever ways depend on has changed: flows are looked up again, with what ports carry now. */
  private void followWays(long nowNanos) {
    long epoch = paths.epoch();
    if (epoch != waysEpoch) {
      waysEpoch = epoch;
      rerouting.begin(nowNanos);
      paths.follow();
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

  List<DeadlineSummary.CongestedPort> congestedPorts() {
    List<DeadlineSummary.CongestedPort> found = new ArrayList<>();
    deadlines
        .totalWindows()
        .forEach((port, bytes) -> found.add(DeadlineSummary.CongestedPort.of(port, bytes)));
    return found;
  }
}
