// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.LossCounts;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.engine.Engine;
import org.sluice.engine.deadline.AdmissionSnapshot;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.FlowPath;
import org.sluice.engine.deadline.FlowRecord;
import org.sluice.engine.deadline.LossAnswers;
import org.sluice.engine.deadline.PromiseParts;
import org.sluice.engine.deadline.Rerouting;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.PromisedRates;

/**
 * The controller's half of SED and RSED at work: takes in what hosts, ports and switches report of
 * flows, and decides in the order of the paper's control loop. Engine thread only.
 */
final class DeadlineLoop {
  /** Windows are taken back so long after the last deadline. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** So long a promise is kept of which nothing arrives. */
  static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final DeadlineContext context;
  private final Settings settings;
  private final FlowJournal journal;
  private final GrantOutbox grants;
  private final LostFrames lostFrames;
  private final Deadlines deadlines;
  private final LossAnswers losses;
  private final FlowPaths paths;
  private final PortSignals signals;
  private final HostFlows hosts;
  private final Registrations registrations;
  private final Rerouting rerouting;
  private Consumer<AdmissionSnapshot> reviewer = before -> {};

  private Parameters parameters;
  private boolean isAtWork;
  private PromiseParts parts = PromiseParts.WHOLE;
  private long partsEpoch = Long.MIN_VALUE;
  private long authorityEpoch = Long.MIN_VALUE;
  private int governedPorts;
  private long pathsEpoch = Long.MIN_VALUE;
  private long reservedNanos = Long.MIN_VALUE;
  private long lastBusyNanos;

  /** One that has nothing to decide yet. */
  DeadlineLoop(
      DeadlineContext context, Settings settings, FlowHistory history, FlowJournal journal) {
    this.context = context;
    this.settings = settings;
    this.journal = journal;
    this.parameters = settings.parameters();
    lostFrames = new LostFrames(context.packetOut);
    grants = new GrantOutbox(context.link, context.endpoints, lostFrames, context.term);
    deadlines = new Deadlines(grants, engineParameters(parameters));
    losses = new LossAnswers(deadlines, grants);
    hosts = new HostFlows(deadlines, losses);
    hosts.switches().setActive(parameters.switchFlows());
    paths = new FlowPaths(context, deadlines, hosts);
    hosts.setPaths(paths);
    signals = new PortSignals(context.engine, deadlines, paths);
    rerouting = new Rerouting(deadlines, paths);
    registrations = new Registrations(deadlines, paths, context, history, journal);
  }

  /**
   * What is called when flows may have got other ports, or ports another capacity.
   *
   * @param value receives what could be kept before
   */
  void setReviewer(Consumer<AdmissionSnapshot> value) {
    reviewer = value;
  }

  private DeadlineParameters engineParameters(Parameters parameters) {
    long period = TimeUnit.MILLISECONDS.toNanos(parameters.get(SettingTable.CONTROL_PERIOD_MILLIS));
    return DeadlineParameters.DEFAULTS
        .withWindows(parameters.get(SettingTable.WINDOWS))
        .withExpired(parameters.get(SettingTable.EXPIRED))
        .withSegmentBytes(PortProfile.SEGMENT_BYTES)
        .withInitialSegments(PortProfile.INITIAL_SEGMENTS)
        .withLatencyNanos(PortProfile.latencyNanos(period));
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

  /** What was reported lost, and what was done about it. */
  LossCounts lossCounts() {
    return LossCounts.of(losses.losses(), losses.answers(), losses.resends(), lostFrames.sent());
  }

  void reported(FlowReport report, long nowNanos) {
    if (isAtWork) {
      hosts.reported(report, nowNanos);
    }
  }

  void connectionBegan(FlowKey connection, long nowNanos) {
    if (isAtWork) {
      hosts.connectionBegan(connection, nowNanos);
    }
  }

  void connectionEnded(FlowKey connection, long nowNanos) {
    if (isAtWork) {
      hosts.switches().ends(connection, nowNanos);
    }
  }

  /** What is registered, if that may have changed since this was queried last. */
  Optional<Set<FlowKey>> takeRegistered() {
    return registrations.takeChange();
  }

  /** Answers for packets that a port lost are its master's. */
  void lost(LossReport report, long nowNanos) {
    if (isAtWork && parameters.get(SettingTable.LOSS_ANSWERS)) {
      for (Loss loss : report.losses()) {
        if (context.authority.decidesAbout(loss.port())) {
          grants.setPortAgent(loss.port(), report.host());
          lostFrames.add(loss);
          losses.lost(loss, nowNanos);
        }
      }
    }
  }

  void queued(PortQueueObservation observation, long nowNanos) {
    signals.learnBuffers(observation);
    if (isAtWork) {
      signals.observe(observation, nowNanos);
    }
  }

  // ------------------------------------------------------------ registrations

  /** Finds out all that a decision needs. */
  void prepare(
      RegistrationRequest request,
      AdmissionSnapshot snapshot,
      RegistrationQuota quota,
      long nowNanos)
      throws SluiceException {
    if (isOff()) {
      throw FlowCheck.switchedOff();
    }
    registrations.prepare(request, snapshot, quota, nowNanos);
  }

  /** What those that are decided about together share. */
  RegistrationQuota quota() {
    return registrations.quota(parameters);
  }

  /**
   * Takes over what the cluster's store holds.
   *
   * @param clusterMicros the cluster's time of day now, microseconds since the epoch
   */
  void stored(StoredFlow flow, long clusterMicros, long nowNanos) {
    if (!isOff() && registrations.stored(flow, clusterMicros, nowNanos)) {
      isAtWork = true;
    }
  }

  /** What is promised now; ports on the ways of these are made known to it. */
  AdmissionSnapshot snapshot(List<RegistrationRequest> requests, long nowNanos) {
    isAtWork = isAtWork || !isOff();
    lastBusyNanos = nowNanos;
    followPaths(nowNanos);
    requests.stream()
        .filter(RegistrationRequest::isNew)
        .forEach(request -> paths.path(request.key));
    signals.step(nowNanos, isAcross());
    return deadlines.snapshot(registering(requests), parts(), nowNanos);
  }

  /** Made anew when an endpoint, its place or a tenant is another. */
  private PromiseParts parts() {
    long epoch =
        context.endpoints.epoch().get() + context.tenants.epoch().get() + context.paths.epoch();
    if (epoch != partsEpoch) {
      parts = new TenantParts(context, registrations.unusedPromises());
      partsEpoch = epoch;
    }
    return parts;
  }

  /** Promises of which nothing arrives, of hosts that report: what they hold is others' again. */
  Set<Long> unused(long nowNanos) {
    Set<Long> unused = deadlines.unused(UNUSED_NANOS, nowNanos);
    unused.removeIf(id -> !registrations.isReported(id));
    return unused;
  }

  /** One that is refused keeps its base window: another must not be promised that. */
  private static Set<FlowKey> registering(List<RegistrationRequest> requests) {
    return requests.stream()
        .filter(request -> request.isNew() && (request.force || requests.size() == 1))
        .map(request -> request.key)
        .collect(Collectors.toSet());
  }

  /** What is promised now, as of the time of another snapshot, so that the two can be compared. */
  AdmissionSnapshot snapshotLike(AdmissionSnapshot other, long nowNanos) {
    signals.step(nowNanos, isAcross());
    return deadlines.snapshot(other.nowNanos());
  }

  /** All is over: every window is taken back. */
  void releaseAll(long nowNanos) {
    deadlines.releaseAll(nowNanos);
    hosts.switches().clear();
    registrations.clear();
    grants.flush();
    lostFrames.clear();
    context.engine.reserve(sink -> {});
    isAtWork = false;
  }

  // ------------------------------------------------------------ steps

  /** Whether nobody may have a deadline. */
  boolean isOff() {
    return parameters.get(SettingTable.DEADLINES) == SettingTable.Deadlines.OFF;
  }

  private boolean isAcross() {
    return parameters.get(SettingTable.DEADLINES) == SettingTable.Deadlines.ACROSS
        && parameters.get(SettingTable.ENFORCEMENT);
  }

  /** Takes over changed settings: what comes is judged by the parameters of now. */
  void follow(long nowNanos) {
    Parameters now = settings.parameters();
    if (!now.equals(parameters)) {
      parameters = now;
      deadlines.setParameters(engineParameters(now));
      hosts.switches().setActive(now.switchFlows());
      if (isOff()) {
        releaseAll(nowNanos);
      }
    }
  }

  /** Decides, and sends grants and answers. At least once in every control period. */
  void step(long nowNanos) {
    journal.tick(nowNanos);
    isAtWork |= !registrations.isEmpty(); // All may have been over while one was decided about.
    if (!isAtWork) {
      return;
    }
    followPaths(nowNanos);
    rerouting.step(nowNanos).ifPresent(reviewer);
    followAuthority();
    registrations.admitPending(nowNanos);
    hosts.step(nowNanos, TimeUnit.MILLISECONDS.toNanos(parameters.get(SettingTable.LEASE_MILLIS)));
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

  /** Whatever paths depend on has changed: flows are looked up again, with what ports carry now. */
  private void followPaths(long nowNanos) {
    long epoch = paths.epoch();
    if (epoch != pathsEpoch) {
      rerouting.begin(nowNanos);
      paths.follow();
      pathsEpoch = epoch;
    }
  }

  private void followAuthority() {
    long epoch = context.authority.epoch();
    if (epoch != authorityEpoch || paths.watched().size() != governedPorts) {
      int watched = paths.watched().size();
      paths
          .watched()
          .forEach(port -> deadlines.setGoverned(port, context.authority.decidesAbout(port)));
      authorityEpoch = epoch; // Only now: had it thrown, the rest would never follow.
      governedPorts = watched;
    }
  }

  /** An admitted deadline is a guarantee. */
  private void reserve(long nowNanos) {
    if (reservedNanos != Long.MIN_VALUE && nowNanos - reservedNanos < PromisedRates.PERIOD_NANOS) {
      return;
    }
    reservedNanos = nowNanos;
    context.engine.reserve(
        sink -> {
          if (isAcross()) {
            deadlines.rates(nowNanos, (flow, port, rate) -> reserve(sink, flow, port, rate));
          }
        });
  }

  private void reserve(
      Engine.ReservationSink sink, FlowKey flow, PortId port, double bytesPerSecond) {
    if (paths.watched().contains(port)) {
      double bitsPerSecond = PortProfile.frameBitsPerSecond(bytesPerSecond);
      context
          .endpoints
          .holder(flow.source())
          .ifPresent(source -> sink.add(source.id(), port, bitsPerSecond));
    }
  }

  /** What there is to say of a registration whose deadline is still to come. */
  Optional<FlowAccount> account(long id, long nowNanos) {
    Optional<FlowPath> path = deadlines.path(id);
    Optional<FlowRecord> record = deadlines.registration(id);
    if (path.isEmpty() || record.isEmpty()) {
      return Optional.empty();
    }
    AdmissionSnapshot snapshot = deadlines.snapshot(Set.of(), parts(), nowNanos);
    AdmissionSnapshot.Query question = deadlines.question(snapshot, id, record.get().sizeBytes());
    return Optional.of(new FlowAccount(record.get(), path.get(), snapshot, question));
  }

  List<DeadlineSummary.CongestedPort> congestedPorts() {
    List<DeadlineSummary.CongestedPort> found = new ArrayList<>();
    deadlines
        .totalWindows()
        .forEach((port, bytes) -> found.add(DeadlineSummary.CongestedPort.of(port, bytes)));
    return found;
  }
}
