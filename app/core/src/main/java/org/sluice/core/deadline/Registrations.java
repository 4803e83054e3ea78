// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.setting.Parameters;
import org.sluice.engine.deadline.AdmissionSnapshot;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.FlowLog;
import org.sluice.engine.deadline.FlowRecord;

/**
 * Registrations from their decision to their end, as the store, the engine and the journal have
 * them. For the engine's thread.
 */
final class Registrations {
  private final Deadlines deadlines;
  private final FlowPaths paths;
  private final DeadlineContext context;
  private final FlowHistory history;
  private final FlowJournal journal;

  /** Those that have not ended. */
  private final ActiveFlows active;

  /** Those of them whose path is not known yet, with their deadlines, ns. */
  private final Map<Long, Long> pending = new HashMap<>();

  private final UnusedPromises unusedPromises = new UnusedPromises();

  private long endsSeen;

  Registrations(
      Deadlines deadlines,
      FlowPaths paths,
      DeadlineContext context,
      FlowHistory history,
      FlowJournal journal) {
    this.deadlines = deadlines;
    this.paths = paths;
    this.context = context;
    this.history = history;
    this.journal = journal;
    active =
        new ActiveFlows(
            source -> context.endpoints.holder(source).map(endpoint -> endpoint.id().host()));
  }

  /** What those that are decided about together share. */
  RegistrationQuota quota(Parameters parameters) {
    return new RegistrationQuota(active, parameters);
  }

  /** What tenants were promised and did not send. */
  UnusedPromises unusedPromises() {
    return unusedPromises;
  }

  /** Grows whenever one comes, changes or ends; read by any thread. */
  long version() {
    return active.version();
  }

  boolean isEmpty() {
    return active.isEmpty();
  }

  /** What they are about, if that may have changed since this was queried last. */
  Optional<Set<FlowKey>> takeChange() {
    return active.takeChange();
  }

  /** Finds out all that a decision needs. */
  void prepare(
      RegistrationRequest request,
      AdmissionSnapshot snapshot,
      RegistrationQuota quota,
      long nowNanos)
      throws SluiceException {
    if (request.isNew()) {
      prepareNew(request, snapshot, quota);
    } else {
      prepareChange(request, snapshot);
    }
    if (request.deadlineNanos <= nowNanos) {
      throw FlowCheck.unavailable("The deadline passed before the controller could decide");
    }
  }

  private void prepareNew(
      RegistrationRequest request, AdmissionSnapshot snapshot, RegistrationQuota quota)
      throws SluiceException {
    FlowKey key = request.key;
    Optional<ReportedEndpoint> source = context.endpoints.holder(key.source());
    if (source.isEmpty()) {
      throw SluiceException.conflict(
          "source",
          key.source(),
          "No host's agent reports an endpoint with this address",
          "Use the address of an endpoint: sluice-endpoints lists them");
    }
    request.path =
        paths
            .path(key)
            .orElseThrow(
                () ->
                    SluiceException.conflict(
                        "destination",
                        key.destination(),
                        "No path from " + key.source() + " to this address is known",
                        "Use the address of an endpoint; if it is one, try again when it has sent"
                            + " something"));
    if (deadlines.isClaimed(key)) {
      throw FlowCheck.claimed(key);
    }
    TenantId tenant = context.tenants.tenantOf(source.get()).id();
    quota.take(tenant, source.get().id().host());
    long due = request.dueInNanos.getAsLong();
    request.deadlineNanos = request.arrivedNanos + due;
    request.stored =
        StoredFlow.of(
            RegistrationRequest.NEW,
            key,
            tenant,
            request.sizeBytes.getAsLong(),
            request.arrivedMicros + TimeUnit.NANOSECONDS.toMicros(due),
            request.arrivedMicros + TimeUnit.NANOSECONDS.toMicros(request.beginsInNanos),
            false);
    request.question =
        deadlines
            .question(snapshot, key, request.stored.sizeBytes(), request.path, 0)
            .beginningAt(request.arrivedNanos + request.beginsInNanos);
  }

  private void prepareChange(RegistrationRequest request, AdmissionSnapshot snapshot)
      throws SluiceException {
    StoredFlow before = active.get(request.id);
    FlowRecord record = deadlines.registration(request.id).orElse(null);
    if (before == null || record == null) {
      throw isOver(request.id) ? FlowCheck.ended(request.id) : FlowCheck.unknown(request.id);
    }
    request.expected.check(Optional.of(before.status()));
    boolean moved = request.dueInNanos.isPresent();
    long due = request.dueInNanos.orElse(0);
    request.deadlineNanos = moved ? request.arrivedNanos + due : record.deadlineNanos();
    request.stored =
        StoredFlow.of(
            request.id,
            before.key(),
            before.tenant(),
            request.sizeBytes.orElse(before.sizeBytes()),
            moved
                ? request.arrivedMicros + TimeUnit.NANOSECONDS.toMicros(due)
                : before.deadlineMicros(),
            before.beginsMicros(),
            before.promised());
    request.question = deadlines.question(snapshot, request.id, request.stored.sizeBytes());
  }

  /** Nothing can be changed about it any more, whether or not its outcome is known. */
  private boolean isOver(long id) {
    return history.contains(id) || deadlines.overdue(id).isPresent();
  }

  /** Makes true what was decided here, under the number and with the promise that it got. */
  FlowStatus make(RegistrationRequest request, long nowNanos) throws SluiceException {
    StoredFlow flow = request.stored;
    pending.remove(flow.id());
    // Another node may have written its entry, and this one have read it, before this.
    if (request.isNew() && deadlines.registration(flow.id()).isEmpty()) {
      if (deadlines.isClaimed(flow.key())) {
        throw FlowCheck.claimed(flow.key());
      }
      active.put(flow.id(), flow);
      admit(flow, request.path, request.deadlineNanos, nowNanos);
    } else {
      countGivenUp(flow, nowNanos);
      active.put(flow.id(), flow);
      change(flow, request.deadlineNanos, nowNanos);
    }
    noteEnds(nowNanos);
    return flow(flow.id(), nowNanos).orElseThrow(() -> FlowCheck.unknown(flow.id()));
  }

  private void admit(StoredFlow flow, List<PortId> path, long deadlineNanos, long nowNanos) {
    deadlines.admit(
        flow.id(), flow.key(), flow.sizeBytes(), deadlineNanos, path, 0, flow.promised(), nowNanos);
    long left = TimeUnit.MICROSECONDS.toNanos(flow.deadlineMicros() - flow.beginsMicros());
    deadlines.expectBeginning(flow.id(), deadlineNanos - left);
  }

  /**
   * What a tenant's change gives up of a promise was not sent, as if it were withdrawn: others
   * could have had it. A promise that is revoked changes neither size nor deadline.
   */
  private void countGivenUp(StoredFlow now, long nowNanos) {
    StoredFlow before = active.get(now.id());
    Optional<FlowRecord> record = deadlines.registration(now.id());
    if (before == null || !before.promised() || record.isEmpty()) {
      return;
    }
    long left = record.get().remainingBytes();
    long later = now.deadlineMicros() - before.deadlineMicros();
    long less = before.sizeBytes() - now.sizeBytes();
    if (later > 0 || !now.promised() && (later != 0 || less != 0)) {
      unusedPromises.add(now.tenant(), left, nowNanos);
    } else if (less > 0) {
      unusedPromises.add(now.tenant(), Math.min(left, less), nowNanos);
    }
  }

  private void change(StoredFlow flow, long deadlineNanos, long nowNanos) {
    deadlines.change(flow.id(), flow.sizeBytes(), deadlineNanos, flow.promised(), nowNanos);
  }

  /**
   * Takes over what the cluster's store holds.
   *
   * @param clusterMicros the cluster's time of day now, microseconds since the epoch
   * @return whether that changed anything
   */
  boolean stored(StoredFlow flow, long clusterMicros, long nowNanos) {
    StoredFlow before = active.get(flow.id());
    long deadline = nowNanos + TimeUnit.MICROSECONDS.toNanos(flow.deadlineMicros() - clusterMicros);
    if (flow.equals(before) || isOver(flow.id()) || deadline <= nowNanos) {
      return false;
    }
    countGivenUp(flow, nowNanos);
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
    return true;
  }

  /** Those of these that nobody has changed or removed meanwhile, without their promises. */
  List<StoredFlow> withoutPromise(Set<Long> ids) {
    List<StoredFlow> found = new ArrayList<>();
    for (long id : ids) {
      StoredFlow flow = active.get(id);
      if (flow != null && flow.promised()) {
        found.add(flow.withoutPromise());
      }
    }
    return found;
  }

  /** Whether the host of its source reports, so that what it sends is known. */
  boolean isReported(long id) {
    StoredFlow flow = active.get(id);
    return flow != null
        && context
            .endpoints
            .holder(flow.key().source())
            .filter(source -> context.endpoints.sessions().containsKey(source.id().host()))
            .isPresent();
  }

  /**
   * These come after all promises from now on.
   *
   * @param unused since nothing of them arrives, not since their paths are others
   */
  void losePromises(List<StoredFlow> flows, boolean unused, long nowNanos) {
    for (StoredFlow flow : flows) {
      Optional<FlowRecord> record = deadlines.registration(flow.id());
      if (record.isPresent() && active.containsKey(flow.id())) {
        active.put(flow.id(), flow);
        change(flow, record.get().deadlineNanos(), nowNanos);
        if (unused) {
          unusedPromises.add(flow.tenant(), record.get().remainingBytes(), nowNanos);
        }
        FlowStatus lost = copy(flow, record.get(), nowNanos).status();
        if (unused) {
          journal.unused(lost);
        } else {
          journal.lost(lost, paths.path(flow.key()));
        }
      }
    }
  }

  /** Those that only the store has, as soon as their paths are known. */
  void admitPending(long nowNanos) {
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

  /** Removes one; whether it was there. */
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

  /** All are forgotten, without a trace. */
  void clear() {
    active.clear();
    pending.clear();
  }

  /** The numbers of those that have not ended; a copy. */
  Set<Long> ids() {
    return new HashSet<>(active.keySet());
  }

  /** Takes note of those that have ended. */
  void noteEnds(long nowNanos) {
    FlowLog log = deadlines.ended();
    int fresh = (int) Math.min(FlowLog.CAPACITY, log.total() - endsSeen);
    endsSeen = log.total();
    List<FlowLog.Entry> latest = log.latest(fresh);
    for (int i = latest.size() - 1; i >= 0; i--) {
      FlowRecord record = latest.get(i).flow();
      StoredFlow flow = active.remove(record.id());
      if (flow != null) {
        FlowState state = FlowState.valueOf(latest.get(i).outcome().name());
        long left = record.remainingBytes();
        long due = record.deadlineNanos() - nowNanos;
        FlowStatus ended = status(flow, state, left, due);
        history.add(ended, record.deadlineNanos(), latest.get(i).endNanos());
        if (flow.promised()) {
          unusedPromises.add(flow.tenant(), left, nowNanos);
        }
        journal.ended(ended, record);
      }
    }
  }

  // ------------------------------------------------------------ what others may know

  /** Those that have not ended. */
  List<FlowCopy> copies(long nowNanos) {
    List<FlowCopy> found = new ArrayList<>();
    active.keySet().forEach(id -> found.add(copy(active.get(id), nowNanos)));
    return found;
  }

  Optional<FlowStatus> flow(long id, long nowNanos) {
    StoredFlow flow = active.get(id);
    if (flow == null) {
      return history.flow(id, nowNanos);
    }
    return Optional.of(copy(flow, nowNanos).status());
  }

  private FlowCopy copy(StoredFlow flow, long nowNanos) {
    Optional<FlowRecord> record =
        deadlines.registration(flow.id()).or(() -> deadlines.overdue(flow.id()));
    if (record.isEmpty()) {
      long due = pending.getOrDefault(flow.id(), nowNanos) - nowNanos;
      return new FlowCopy(flow, FlowState.WAITING, flow.sizeBytes(), due);
    }
    return copy(flow, record.get(), nowNanos);
  }

  private static FlowCopy copy(StoredFlow flow, FlowRecord record, long nowNanos) {
    FlowState state = record.sending() ? FlowState.SENDING : FlowState.WAITING;
    return new FlowCopy(flow, state, record.remainingBytes(), record.deadlineNanos() - nowNanos);
  }

  private static FlowStatus status(
      StoredFlow flow, FlowState state, long remainingBytes, long dueInNanos) {
    return new FlowCopy(flow, state, remainingBytes, dueInNanos).status();
  }
}
