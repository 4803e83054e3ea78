// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;
import org.sluice.api.link.WindowGrant;

/**
 * SED's half of the controller: keeps the GIF table, watches ports, and hands out windows while a
 * port is congested (Algorithm 1). Not thread-safe: one thread calls all of it. All times are of
 * one monotonic clock, ns.
 *
 * <p>Drive it so: make ports known, tell of connections, their progress and of queues as news come,
 * and call {@link #tick} every few milliseconds and after a connection has begun or ended.
 */
public final class Deadlines {
  private final GrantSink sink;
  private final FlowBook book = new FlowBook();
  private final GifTable gif = book.gif();
  private final Map<PortId, DeadlinePort> ports = new HashMap<>();
  private final List<DeadlinePort> congested = new ArrayList<>();
  private DeadlineParameters parameters;
  private WindowAllocation allocation;
  private FluidSchedule schedule;
  private long nextId;

  /** One that knows nothing yet. */
  public Deadlines(GrantSink sink, DeadlineParameters parameters) {
    this.sink = Objects.requireNonNull(sink, "sink");
    setParameters(parameters);
  }

  /** Takes effect at the next tick. */
  public void setParameters(DeadlineParameters value) {
    parameters = Objects.requireNonNull(value, "parameters");
    allocation = isPapersLaw() ? new PaperWindows(value) : new EdfWindows(value);
    schedule = new FluidSchedule(value);
    ports.values().forEach(port -> port.setBaseWindow(value.baseBytes()));
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
    DeadlinePort port = ports.computeIfAbsent(id, DeadlinePort::new);
    port.configure(payloadBytesPerSecond, thresholdBytes);
    port.setBaseWindow(parameters.baseBytes());
    if (port.roundTripNanos() == 0) {
      port.setRoundTripNanos(roundTripNanos);
    }
  }

  /**
   * Sets what passes a port without a grant, payload bytes/s; ports that are not known are passed
   * over.
   */
  public void setUngoverned(PortId id, double bytesPerSecond) {
    DeadlinePort port = ports.get(id);
    if (port != null) {
      port.setUngoverned(Math.max(0, bytesPerSecond));
    }
  }

  // ---------------------------------------------------------------- what tenants want

  /**
   * Asks for a deadline, and registers the flow if it is granted or forced.
   *
   * @param key the flow; with a port of 0 the next connection that fits
   * @param sizeBytes of payload, from the connection's first byte on; above 0
   * @param deadlineNanos when the last byte has to be there
   * @param path the ports on its way; those that are not known do not count
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
    if (book.isClaimed(key)) {
      throw new IllegalStateException("flow " + key + " is registered already");
    }
    GifRow sending = book.connection(key);
    DeadlinePort[] known = sending == null ? known(path) : sending.path;
    long roundTrip = roundTripNanos > 0 ? roundTripNanos : roundTripOf(known);
    long left = sizeBytes - (sending == null ? 0 : sending.deliveredBytes);
    long start = sending == null ? schedule.startNanos(known, left, roundTrip) : 0;
    Admission admission =
        schedule.ask(
            demands(nowNanos),
            new FluidSchedule.Demand(
                known, Math.max(0, left), nowNanos + start, deadlineNanos, true),
            nowNanos);
    if (!admission.isAccepted() && !force) {
      return Registration.refused(admission);
    }
    GifRow row = new GifRow(++nextId, key, known, sizeBytes, deadlineNanos, admission.isAccepted());
    if (sending == null) {
      row.baseRoundTripNanos = roundTrip;
      row.roundTripNanos = roundTrip;
      book.addWaiting(row);
    } else {
      row.continues(sending);
      book.replace(sending, row);
    }
    return Registration.made(row.id, admission);
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

  private List<FluidSchedule.Demand> demands(long nowNanos) {
    List<FluidSchedule.Demand> demands = new ArrayList<>();
    for (int i = 0; i < gif.size() && gif.get(i).hasDeadline(); i++) {
      GifRow row = gif.get(i);
      long left = row.remainingBytes();
      long start =
          row.isSending() ? 0 : schedule.startNanos(row.path, left, row.baseRoundTripNanos);
      demands.add(
          new FluidSchedule.Demand(
              row.path, left, nowNanos + start, row.deadlineNanos, row.promised));
    }
    return demands;
  }

  /**
   * Takes a registration back; the flow goes on as one without a deadline.
   *
   * @return whether there was one
   */
  public boolean remove(long id, long nowNanos) {
    GifRow row = book.registration(id);
    if (row == null) {
      return false;
    }
    book.retire(row, FlowOutcome.REMOVED, nowNanos);
    if (!row.isSending()) {
      release(row);
    }
    return true;
  }

  // ---------------------------------------------------------------- what hosts and switches see

  /**
   * A connection has begun: its SYN was seen.
   *
   * @param connection with both ports
   * @param path the ports on its way, in the direction of the data
   * @param roundTripNanos without queues; 0 if unknown
   */
  public void opened(FlowKey connection, List<PortId> path, long roundTripNanos, long nowNanos) {
    closed(connection, nowNanos); // One of the same name, whose end was lost.
    GifRow row = book.takeWaiting(connection);
    if (row == null) {
      DeadlinePort[] known = known(path);
      row = new GifRow(++nextId, connection, known, 0, GifRow.NEVER, false);
      row.baseRoundTripNanos = roundTripOf(known);
    }
    if (roundTripNanos > 0) {
      row.baseRoundTripNanos = roundTripNanos;
    }
    row.roundTripNanos = row.baseRoundTripNanos;
    if (!row.key.equals(connection)) {
      release(row); // From here on it has another name.
      row.toldBytes = GifRow.UNTOLD;
    }
    row.connection = connection;
    row.progressNanos = nowNanos;
    row.windowBytes = (long) parameters.initialSegments() * parameters.segmentBytes();
    book.addConnection(row);
    lookAtBurst(row, nowNanos);
  }

  /**
   * First windows all come at once: with too many of them a port is congested before its queue is.
   */
  private void lookAtBurst(GifRow begun, long nowNanos) {
    for (DeadlinePort port : begun.path) {
      if (!port.isCongested() && port.burst(firstWindows(port), nowNanos)) {
        congested.add(port);
      }
    }
  }

  private double firstWindows(DeadlinePort port) {
    double sum = 0;
    double initial = (double) parameters.initialSegments() * parameters.segmentBytes();
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.get(i);
      if (row.isSending() && row.deliveredBytes == 0 && row.crosses(port)) {
        sum += row.sizeBytes > 0 ? Math.min(initial, row.sizeBytes) : initial;
      }
    }
    return sum;
  }

  /**
   * So much of a connection has arrived.
   *
   * @param deliveredBytes of payload since its beginning; less than before is old news
   * @param roundTripNanos latest; 0 if unknown
   */
  public void progressed(
      FlowKey connection, long deliveredBytes, long roundTripNanos, long nowNanos) {
    GifRow row = book.connection(connection);
    if (row == null || deliveredBytes < row.deliveredBytes) {
      return;
    }
    row.deliveredBytes = deliveredBytes;
    row.progressNanos = nowNanos;
    if (roundTripNanos > 0) {
      row.roundTripNanos = roundTripNanos;
      row.baseRoundTripNanos = Math.min(row.baseRoundTripNanos, roundTripNanos);
    }
    if (row.hasDeadline() && row.remainingBytes() == 0) {
      FlowOutcome outcome = nowNanos <= row.deadlineNanos ? FlowOutcome.MET : FlowOutcome.MISSED;
      book.retire(row, outcome, nowNanos);
    }
  }

  /** A connection has ended: FIN or RST was seen, or its host has gone. */
  public void closed(FlowKey connection, long nowNanos) {
    GifRow row = book.connection(connection);
    if (row != null) {
      book.close(row, nowNanos);
      release(row);
    }
  }

  /** A port's queue was seen at this length. */
  public void queue(PortId id, long backlogBytes, long nowNanos) {
    DeadlinePort port = ports.get(id);
    if (port != null && port.queue(backlogBytes, nowNanos)) {
      congested.add(port);
    }
  }

  // ---------------------------------------------------------------- decisions

  /** Ends what is over, divides windows, and tells hosts what has changed. */
  public void tick(long nowNanos) {
    expire(nowNanos);
    measureRoundTrips();
    recover(nowNanos);
    if (!congested.isEmpty()) {
      allocation.allocate(gif, congested, nowNanos);
    }
    for (int i = 0; i < gif.size(); i++) {
      tell(gif.get(i));
    }
  }

  private void recover(long nowNanos) {
    boolean calm = false;
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openRelease();
      calm |= congested.get(i).isCalm(nowNanos);
    }
    for (int i = 0; calm && i < gif.size(); i++) {
      GifRow row = gif.get(i);
      double bytes = row.isSending() ? releasedBytes(row, nowNanos) : 0;
      for (DeadlinePort port : row.path) {
        port.addReleased(bytes);
      }
    }
    for (int i = congested.size() - 1; i >= 0; i--) {
      if (congested.get(i).recover(nowNanos)) {
        congested.remove(i);
      }
    }
  }

  /** What a flow would send at once if its window were released, as far as one can know. */
  private double releasedBytes(GifRow row, long nowNanos) {
    if (row.closed) {
      return 0;
    }
    double initial = (double) parameters.initialSegments() * parameters.segmentBytes();
    if (row.sizeBytes > 0 && row.remainingBytes() > 0) {
      return Math.min(initial, row.remainingBytes());
    }
    double lately = DeadlinePort.CALM_ROUND_TRIPS * (double) row.roundTripNanos;
    return nowNanos - row.progressNanos < lately ? initial : 0;
  }

  /**
   * RTT_base of a port: the mean of the flows through it; the paper's law takes the latest instead.
   */
  private void measureRoundTrips() {
    boolean latest = isPapersLaw();
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openRoundTrips();
    }
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.get(i);
      if (row.isSending()) {
        for (DeadlinePort port : row.path) {
          port.addRoundTrip(latest ? row.roundTripNanos : row.baseRoundTripNanos);
        }
      }
    }
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).closeRoundTrips();
    }
  }

  private void expire(long nowNanos) {
    for (int i = 0; i < gif.size() && gif.get(i).hasDeadline(); i++) {
      GifRow row = gif.get(i);
      if (row.deadlineNanos <= nowNanos) {
        expire(row, nowNanos);
        i--; // It stands further back now, or nowhere.
      }
    }
  }

  private void expire(GifRow row, long nowNanos) {
    if (row.isSending()) {
      row.closed = parameters.expired() == DeadlineParameters.Expired.DROP;
      book.retire(row, FlowOutcome.MISSED, nowNanos);
    } else {
      book.retire(row, FlowOutcome.NEVER_SENT, nowNanos);
      release(row);
    }
  }

  private void tell(GifRow row) {
    long window = WindowGrant.RELEASED;
    if (row.closed) {
      window = 0;
    } else if (row.crossesCongestion()) {
      // One that has not begun is to begin with a single segment.
      window = row.isSending() ? row.windowBytes : parameters.segmentBytes();
    }
    tell(row, window);
  }

  private void release(GifRow row) {
    tell(row, WindowGrant.RELEASED);
  }

  private void tell(GifRow row, long windowBytes) {
    // Of a connection its host is told something in any case: the SYN-ACK may wait for it.
    boolean silent = row.toldBytes == GifRow.UNTOLD && !row.isSending();
    if (silent && windowBytes == WindowGrant.RELEASED) {
      return;
    }
    if (windowBytes != row.toldBytes) {
      row.toldBytes = windowBytes;
      sink.grant(WindowGrant.of(row.name(), windowBytes));
    }
  }

  private DeadlinePort[] known(List<PortId> path) {
    return path.stream().map(ports::get).filter(Objects::nonNull).toArray(DeadlinePort[]::new);
  }

  private static long roundTripOf(DeadlinePort[] path) {
    double longest = 1;
    for (DeadlinePort port : path) {
      longest = Math.max(longest, port.roundTripNanos());
    }
    return Math.round(longest);
  }

  /** The window of a connection now in force; empty if none is, or it is not known. */
  public OptionalLong windowBytes(FlowKey connection) {
    GifRow row = book.connection(connection);
    return row == null || row.toldBytes < 0 ? OptionalLong.empty() : OptionalLong.of(row.toldBytes);
  }

  /** Whether windows are handed out at a port. */
  public boolean isCongested(PortId id) {
    DeadlinePort port = ports.get(id);
    return port != null && port.isCongested();
  }

  // ---------------------------------------------------------------- for LossAnswers

  /** The port of this id, or null. */
  DeadlinePort port(PortId id) {
    return ports.get(id);
  }

  /** The row of a connection, or null. */
  GifRow row(FlowKey connection) {
    return book.connection(connection);
  }

  long firstWindowBytes() {
    return (long) parameters.initialSegments() * parameters.segmentBytes();
  }

  boolean isPapersLaw() {
    return parameters.law() == DeadlineParameters.Law.PAPER;
  }

  long latencyNanos() {
    return parameters.latencyNanos();
  }

  /** Registrations that have come to their end lately. */
  public FlowLog ended() {
    return book.ended();
  }
}
