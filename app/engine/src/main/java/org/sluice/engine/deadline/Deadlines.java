// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.WindowAllocation;
import org.sluice.engine.law.WindowScheme;

/**
 * SED's half of the controller: keeps the GIF table, watches ports, and hands out windows while a
 * port is congested (Algorithm 1). Not thread-safe: one thread calls all of it. All times are of
 * one monotonic clock, ns.
 *
 * <p>Drive it so: make ports known, report connections, their progress and queues as these are
 * seen, and call {@link #tick} every few milliseconds and after a connection has begun or ended.
 */
public final class Deadlines {
  private final GrantPublisher grants;
  private final FlowTable flows = new FlowTable();
  private final GifTable gif = flows.gif();
  private final DeadlinePorts ports = new DeadlinePorts();
  private final FlowEnds ends;
  private final CongestionRounds rounds = new CongestionRounds(gif, ports);
  private final Beginnings beginnings = new Beginnings(gif, ports);
  private final DeadlineRates rates = new DeadlineRates(ports);
  private DeadlineParameters parameters;
  private WindowAllocation allocation;
  private long rows;

  /** A connection has begun since the last tick through a port that is not congested. */
  private boolean contended;

  /** One that knows nothing yet. */
  public Deadlines(GrantSink sink, DeadlineParameters parameters) {
    grants = new GrantPublisher(Objects.requireNonNull(sink, "sink"));
    ends = new FlowEnds(flows, grants);
    setParameters(parameters);
  }

  /** Takes effect at the next tick. */
  public void setParameters(DeadlineParameters value) {
    parameters = Objects.requireNonNull(value, "parameters");
    allocation = WindowAllocation.of(value);
    ports.all().forEach(this::configure);
  }

  private void configure(DeadlinePort port) {
    port.setBaseWindow(parameters.baseBytes());
    port.setHasSlack(allocation.hasSlack());
  }

  /**
   * Makes a port known, or changes it.
   *
   * @param payloadBytesPerSecond what of TCP's payload it can carry, above 0
   * @param thresholdBytes K, above 0
   * @param roundTripNanos of those through it, without queues, until some is measured; above 0
   */
  public void putPort(
      PortId id, double payloadBytesPerSecond, long thresholdBytes, long roundTripNanos) {
    if (!(payloadBytesPerSecond > 0) || thresholdBytes <= 0 || roundTripNanos <= 0) {
      throw new IllegalArgumentException(
          "port "
              + id
              + " needs a capacity, a threshold and a round trip above 0, not "
              + payloadBytesPerSecond
              + " bytes/s, "
              + thresholdBytes
              + " bytes, "
              + roundTripNanos
              + " ns");
    }
    DeadlinePort port = ports.findOrAdd(id);
    port.configure(payloadBytesPerSecond, thresholdBytes);
    configure(port);
    if (port.roundTripNanos() == 0) {
      port.setRoundTripNanos(roundTripNanos);
    }
  }

  /**
   * Sets what a port's queue has space for; ports that are not known are passed over.
   *
   * @param bytes of payload, above 0
   */
  public void setBuffer(PortId id, double bytes) {
    DeadlinePort port = ports.find(id);
    if (port != null) {
      port.setBuffer(bytes);
    }
  }

  /**
   * Sets what passes a port without a grant, payload bytes/s; ports that are not known are passed
   * over.
   */
  public void setUngoverned(PortId id, double bytesPerSecond) {
    DeadlinePort port = ports.find(id);
    if (port != null) {
      port.setUngoverned(Math.max(0, bytesPerSecond));
    }
  }

  /**
   * Sets what of a port is not promised whoever uses it, payload bytes/s; ports that are not known
   * are passed over.
   *
   * @param restYields whether all the rest may be promised, since what passes without a grant
   *     yields; else only what it leaves
   */
  public void setReserved(PortId id, double bytesPerSecond, boolean restYields) {
    DeadlinePort port = ports.find(id);
    if (port != null) {
      port.setReserved(Math.max(0, bytesPerSecond), restYields);
    }
  }

  /**
   * Sets whether the law holds those who send through a port to shares of it, and these yield to
   * what is promised; ports that are not known are passed over.
   */
  public void setShared(PortId id, boolean shared) {
    DeadlinePort port = ports.find(id);
    if (port != null) {
      port.setShared(shared);
    }
  }

  /** Sets whether this node hands out windows at a port: it does at first. */
  public void setGoverned(PortId id, boolean byThisNode) {
    DeadlinePort port = ports.find(id);
    if (port != null) {
      ports.govern(port, byThisNode);
    }
  }

  // ---------------------------------------------------------------- registrations

  /**
   * Requests a deadline, and registers the flow if it is granted or forced.
   *
   * @param key the flow; with a port of 0 the next connection that fits
   * @param sizeBytes of payload, from the connection's first byte on; above 0
   * @param deadlineNanos when the last byte has to be there
   * @param path the ports on its path; those that are not known do not count
   * @param roundTripNanos without queues; 0 if unknown
   * @param force register it also if the deadline cannot be met; it then stands behind those
   *     promised
   * @return the registration
   * @throws IllegalArgumentException if the size is not above 0 or the deadline not in the future
   * @throws IllegalStateException if the flow is registered already
   */
  public Registration register(
      FlowKey key,
      long sizeBytes,
      long deadlineNanos,
      List<PortId> path,
      long roundTripNanos,
      boolean force,
      long nowNanos) {
    requireSane(sizeBytes, deadlineNanos, nowNanos);
    if (flows.isClaimed(key)) {
      throw new IllegalStateException("flow " + key + " is registered already");
    }
    AdmissionSnapshot snapshot = snapshot(Set.of(key), PromiseParts.WHOLE, nowNanos);
    AdmissionSnapshot.Query question = question(snapshot, key, sizeBytes, path, roundTripNanos);
    Admission admission = snapshot.decide(question, deadlineNanos, force);
    if (!admission.isAccepted() && !force) {
      return Registration.refused(admission);
    }
    long id = rows + 1;
    boolean promised = admission.isAccepted();
    admit(id, key, sizeBytes, deadlineNanos, path, roundTripNanos, promised, nowNanos);
    return Registration.made(id, admission);
  }

  /** What is promised now, to decide what could be besides. */
  public AdmissionSnapshot snapshot(long nowNanos) {
    return snapshot(Set.of(), PromiseParts.WHOLE, nowNanos);
  }

  /**
   * What is promised now, to decide about flows whose connections may have begun: from the decision
   * on these have no base windows.
   *
   * @param registering whatever is decided about others of them
   * @param parts what may be promised to whom
   */
  public AdmissionSnapshot snapshot(Set<FlowKey> registering, PromiseParts parts, long nowNanos) {
    ports.all().forEach(port -> port.ageCarried(nowNanos));
    List<GifRow> begun = new ArrayList<>();
    for (FlowKey key : registering) {
      GifRow row = flows.connection(key);
      if (row != null && row.hasBase()) {
        begun.add(row);
      }
    }
    return new AdmissionSnapshot(parameters, ports, gif, begun, parts, nowNanos);
  }

  /** A question about a flow that is not registered, to a snapshot of the same time. */
  public AdmissionSnapshot.Query question(
      AdmissionSnapshot snapshot,
      FlowKey key,
      long sizeBytes,
      List<PortId> path,
      long roundTripNanos) {
    GifRow sending = flows.connection(key);
    DeadlinePort[] known = sending == null ? ports.known(path) : sending.path;
    long roundTrip = roundTripNanos > 0 ? roundTripNanos : DeadlinePorts.roundTripOf(known);
    long delivered = sending == null ? 0 : sending.deliveredBytes;
    return snapshot.question(key.source(), known, sizeBytes - delivered, roundTrip, sending);
  }

  /**
   * A question about a registration whose size or deadline is to be another.
   *
   * @throws IllegalArgumentException if there is none of this id
   */
  public AdmissionSnapshot.Query question(AdmissionSnapshot snapshot, long id, long sizeBytes) {
    GifRow row = flows.registration(id);
    if (row == null) {
      throw new IllegalArgumentException("there is no registration " + id);
    }
    return snapshot.question(row, sizeBytes);
  }

  /**
   * Promises of which nothing arrives: their connections have not begun, or have stood still, for
   * this long since they were to begin, ns.
   */
  public Set<Long> unused(long graceNanos, long nowNanos) {
    Set<Long> found = new HashSet<>();
    for (int i = 0; i < gif.firstNotPromised(); i++) {
      GifRow row = gif.get(i);
      long since = row.isSending() ? row.progressNanos : row.beginsNanos;
      if (since != GifRow.LONG_AGO && nowNanos - since > graceNanos) {
        found.add(row.id);
      }
    }
    return found;
  }

  /** Whether a flow is registered already. */
  public boolean isClaimed(FlowKey key) {
    return flows.isClaimed(key);
  }

  /** Whether a registration waits for a connection such as this. */
  public boolean isAwaited(FlowKey connection) {
    return flows.isAwaited(connection);
  }

  /**
   * Registers a flow as was decided by {@link #register}, another node, or an {@link
   * AdmissionSnapshot} of a short while ago.
   *
   * @param id what it is known by from then on; no other registration's, above 0
   * @param promised whether others must not make it late
   * @throws IllegalStateException if the flow or the id is registered already
   */
  public void admit(
      long id,
      FlowKey key,
      long sizeBytes,
      long deadlineNanos,
      List<PortId> path,
      long roundTripNanos,
      boolean promised,
      long nowNanos) {
    if (flows.isClaimed(key) || flows.registration(id) != null) {
      throw new IllegalStateException("flow " + key + " or id " + id + " is registered already");
    }
    GifRow sending = flows.connection(key);
    DeadlinePort[] known = sending == null ? ports.known(path) : sending.path;
    GifRow row = new GifRow(++rows, id, key, known, sizeBytes, deadlineNanos, promised);
    if (sending == null) {
      long roundTrip = roundTripNanos > 0 ? roundTripNanos : DeadlinePorts.roundTripOf(known);
      row.baseRoundTripNanos = roundTrip;
      row.roundTripNanos = roundTrip;
      grants.endPattern(key);
      flows.addWaiting(row);
    } else {
      grants.endPattern(sending.key);
      row.continues(sending);
      flows.replace(sending, row);
      ends.check(row, nowNanos);
    }
  }

  /**
   * What is promised counts on a registration's connection no sooner than this: it has less time
   * then. Makes no difference once it has begun, or where there is none of this id.
   */
  public void expectBeginning(long id, long beginsNanos) {
    GifRow row = flows.registration(id);
    if (row != null) {
      row.beginsNanos = beginsNanos;
    }
  }

  /**
   * Gives a registration another size and deadline, as was decided.
   *
   * @return whether there was one
   */
  public boolean change(
      long id, long sizeBytes, long deadlineNanos, boolean promised, long nowNanos) {
    GifRow row = flows.registration(id);
    if (row == null) {
      return false;
    }
    flows.change(
        row,
        () -> {
          row.sizeBytes = sizeBytes;
          row.setDeadline(deadlineNanos);
          row.promised = promised;
        });
    ends.check(row, nowNanos);
    return true;
  }

  private static void requireSane(long sizeBytes, long deadlineNanos, long nowNanos) {
    if (sizeBytes <= 0) {
      throw new IllegalArgumentException("size must be above 0 bytes, not " + sizeBytes);
    }
    if (deadlineNanos <= nowNanos) {
      throw new IllegalArgumentException(
          "deadline must lie in the future, not " + (nowNanos - deadlineNanos) + " ns ago");
    }
  }

  /**
   * Takes a registration back; the flow goes on as one without a deadline.
   *
   * @return whether there was one
   */
  public boolean remove(long id, long nowNanos) {
    return ends.remove(id, nowNanos);
  }

  /** Forgets a registration without a trace, as if it had never been made. */
  public void forget(long id) {
    GifRow row = flows.registration(id);
    if (row != null) {
      ends.forget(row);
    }
  }

  // ---------------------------------------------------------------- paths

  /** All flows that are known. */
  List<GifRow> rows() {
    List<GifRow> found = new ArrayList<>(gif.size());
    for (int i = 0; i < gif.size(); i++) {
      found.add(gif.get(i));
    }
    return found;
  }

  /** A flow's path leads through these ports. */
  void move(GifRow row, List<PortId> path) {
    DeadlinePort[] known = ports.known(path);
    if (!Arrays.equals(known, row.path)) {
      flows.move(row, known);
    }
  }

  // ---------------------------------------------------------------- reports of hosts and switches

  /**
   * A connection has begun: its SYN was seen.
   *
   * @param connection with both ports
   * @param path the ports on its path, in the direction of the data
   * @param roundTripNanos without queues; 0 if unknown
   */
  public void opened(FlowKey connection, List<PortId> path, long roundTripNanos, long nowNanos) {
    closed(connection, nowNanos); // One of the same name, whose end was lost.
    GifRow row = flows.takeWaiting(connection);
    if (row == null) {
      DeadlinePort[] known = ports.known(path);
      row = new GifRow(++rows, GifRow.UNREGISTERED, connection, known, 0, GifRow.NEVER, false);
      row.baseRoundTripNanos = DeadlinePorts.roundTripOf(known);
    }
    if (roundTripNanos > 0) {
      row.baseRoundTripNanos = roundTripNanos;
    }
    row.roundTripNanos = row.baseRoundTripNanos;
    row.beginsWithGrant = row.publishedBytes >= 0;
    if (!row.beginsWithGrant) {
      row.setWindow(parameters.firstWindowBytes(), nowNanos);
    }
    if (!row.key.equals(connection)) { // From here on it has another name.
      if (row.beginsWithGrant) {
        grants.fulfil(row);
      }
      row.publishedBytes = GifRow.UNPUBLISHED;
    }
    row.connection = connection;
    row.openedNanos = nowNanos;
    row.progressNanos = nowNanos;
    long first = row.widestWindowBytes(allocation.lowersSince(row, nowNanos));
    flows.addConnection(row);
    row.setFirst(row.sizeBytes > 0 ? Math.min(first, row.sizeBytes) : first);
    ports.checkBurst(row, nowNanos);
    contended |= row.crossesFreePort();
  }

  /**
   * So much of a connection has arrived, the last of it just now.
   *
   * @param deliveredBytes of payload since its beginning; less than before is an old report
   * @param roundTripNanos latest; 0 if unknown
   */
  public void progressed(
      FlowKey connection, long deliveredBytes, long roundTripNanos, long nowNanos) {
    progressed(connection, deliveredBytes, roundTripNanos, nowNanos, nowNanos);
  }

  /**
   * So much of a connection has arrived. Whether a deadline was met goes by when that was, all else
   * by when it is reported.
   *
   * @param deliveredBytes of payload since its beginning; less than before is an old report
   * @param roundTripNanos latest; 0 if unknown
   * @param arrivedNanos when the last of it arrived; taken for no later than now, and for no
   *     earlier than what arrived before
   */
  public void progressed(
      FlowKey connection,
      long deliveredBytes,
      long roundTripNanos,
      long arrivedNanos,
      long nowNanos) {
    GifRow row = flows.connection(connection);
    if (row == null || deliveredBytes < row.deliveredBytes) {
      return;
    }
    if (deliveredBytes > row.deliveredBytes) {
      row.arrivedNanos = Math.max(row.arrivedNanos, Math.min(arrivedNanos, nowNanos));
    }
    if (!row.shared) {
      for (DeadlinePort port : row.path) {
        port.addDelivered(deliveredBytes - row.deliveredBytes);
      }
    }
    row.deliveredBytes = deliveredBytes;
    row.progressNanos = nowNanos;
    if (row.idle) {
      row.setIdle(false);
    }
    if (roundTripNanos > 0) {
      row.measured(roundTripNanos);
    }
    if (deliveredBytes > 0 && row.firstBytes > 0) {
      row.setFirst(0);
    }
    ends.check(row, nowNanos);
  }

  /** A connection has ended: FIN or RST was seen, or its host has gone. */
  public void closed(FlowKey connection, long nowNanos) {
    GifRow row = flows.connection(connection);
    if (row != null) {
      ends.close(row, nowNanos);
    }
  }

  /** All connections of these sources but those that are named have ended. */
  public void closeOthers(Set<IpAddress> sources, Set<FlowKey> named, long nowNanos) {
    ends.closeThose(
        row -> sources.contains(row.source()) && !named.contains(row.connection), nowNanos);
  }

  /**
   * These sources are not reported on any longer: their connections are forgotten, but those that
   * are registered, which keep what was promised until it is due.
   */
  public void forgetUnregistered(Set<IpAddress> sources, long nowNanos) {
    ends.closeThose(row -> sources.contains(row.source()) && !flows.isRegistered(row), nowNanos);
  }

  /** The agents of these sources have lost the windows that they got, and get them again. */
  public void republish(Set<IpAddress> sources) {
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.walk(i);
      if (sources.contains(row.source())) {
        row.publishedBytes = GifRow.UNPUBLISHED;
      }
    }
  }

  /** Takes the windows of all flows back, and forgets all of them. */
  public void releaseAll(long nowNanos) {
    List.copyOf(flows.registrations()).forEach(ends::forget);
    flows.overdue().clear();
    ends.closeThose(row -> true, nowNanos);
  }

  /** A port's queue was seen at this length. */
  public void queue(PortId id, long backlogBytes, long nowNanos) {
    DeadlinePort port = ports.find(id);
    if (port != null) {
      ports.queue(port, backlogBytes, nowNanos);
    }
  }

  // ---------------------------------------------------------------- decisions

  /** Ends what is over, divides windows, and publishes what has changed. */
  public void tick(long nowNanos) {
    ends.expire(parameters, nowNanos);
    if (parameters.windows() == WindowScheme.EDF) {
      for (int i = gif.firstWithoutDeadline(); i < gif.size(); i++) {
        SharedFlows.check(gif.walk(i), parameters.latencyNanos(), nowNanos);
      }
    }
    ports.measureRoundTrips(allocation.usesLatestRoundTrips());
    beginnings.count(parameters, nowNanos);
    rounds.recover(parameters, nowNanos);
    if (contended) {
      rounds.begin(allocation, nowNanos);
    }
    contended = false;
    boolean divides = !ports.congested().isEmpty();
    ports.openFirst();
    if (divides) {
      allocation.allocate(gif, ports.congested(), nowNanos);
    }
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.walk(i);
      if (divides && row.idle) {
        IdleFlows.narrow(row, parameters.baseBytes(), nowNanos);
      }
      if (divides && allocation.settle(row, nowNanos)) {
        grants.publishInForce(row);
      } else {
        grants.publish(row, allocation, nowNanos);
      }
      if (!row.hasDeadline() && parameters.windows() == WindowScheme.EDF) {
        IdleFlows.check(row, nowNanos);
      }
    }
    ports.learnCarried(nowNanos);
  }

  /** The window of a connection now in force; empty if none is, or it is not known. */
  public OptionalLong windowBytes(FlowKey connection) {
    GifRow row = flows.connection(connection);
    return row == null || row.publishedBytes < 0
        ? OptionalLong.empty()
        : OptionalLong.of(row.publishedBytes);
  }

  /** Whether windows are handed out at a port. */
  public boolean isCongested(PortId id) {
    DeadlinePort port = ports.find(id);
    return port != null && port.isCongested();
  }

  // ---------------------------------------------------------------- for LossAnswers

  /** The port of this id, or null. */
  DeadlinePort port(PortId id) {
    return ports.find(id);
  }

  /** The row of a connection, or null. */
  GifRow row(FlowKey connection) {
    return flows.connection(connection);
  }

  DeadlineParameters parameters() {
    return parameters;
  }

  /** What of all flows through a port with windows has arrived since it was made known, bytes. */
  public double deliveredThrough(PortId id) {
    DeadlinePort port = ports.find(id);
    return port == null ? 0 : port.deliveredBytes();
  }

  /** What has arrived of a connection, bytes; empty if it is not known. */
  public OptionalLong deliveredBytes(FlowKey connection) {
    GifRow row = flows.connection(connection);
    return row == null ? OptionalLong.empty() : OptionalLong.of(row.deliveredBytes);
  }

  /** T_win of the ports where windows are handed out, bytes. */
  public Map<PortId, Long> totalWindows() {
    Map<PortId, Long> found = new HashMap<>();
    ports.congested().forEach(port -> found.put(port.id, Math.round(port.totalWindowBytes())));
    return found;
  }

  /** What promised flows that send must be let through, whatever their sources' shares are. */
  public void rates(long nowNanos, RateSink rateSink) {
    rates.publish(gif, nowNanos, rateSink);
  }

  /** All registrations whose deadlines are still to come. */
  public List<FlowRecord> registrations() {
    List<FlowRecord> found = new ArrayList<>();
    flows.registrations().forEach(row -> found.add(FlowRecord.of(row)));
    return found;
  }

  /** A registration whose deadline is still to come, if there is one of this id. */
  public Optional<FlowRecord> registration(long id) {
    return Optional.ofNullable(flows.registration(id)).map(FlowRecord::of);
  }

  /** The path of a registration whose deadline is still to come, if there is one of this id. */
  public Optional<FlowPath> path(long id) {
    return Optional.ofNullable(flows.registration(id)).map(row -> FlowPath.of(row, gif));
  }

  /**
   * A registration whose deadline has passed, as it was then, if it is not known yet whether it was
   * met: the report of its last bytes may be in transit. Nothing depends on it any more.
   */
  public Optional<FlowRecord> overdue(long id) {
    return flows.overdue().flow(id);
  }

  /** Registrations that have come to their end lately. */
  public FlowLog ended() {
    return flows.ended();
  }
}
