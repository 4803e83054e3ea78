// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.OptionalLong;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.WindowGrant;
import org.sluice.engine.law.SedFlow;

/**
 * A row of the GIF table (Figure 5): a flow, when it was announced, when it is due, how much it has
 * to send, and how much of that is left. Its priority is its place in the table.
 */
final class GifRow extends SedFlow {
  /** No deadline. */
  static final long NEVER = Long.MAX_VALUE;

  static final long UNREGISTERED = 0;

  static final long LONG_AGO = Long.MIN_VALUE;

  /** Its host has been sent nothing yet. */
  static final long UNPUBLISHED = WindowGrant.RELEASED - 1;

  /** What its registration is known by; {@link #UNREGISTERED} if it is not registered. */
  final long id;

  /** When it came to this table: no two are equal. */
  final long order;

  /** As registered, ports may stand for any; of a flow that is not registered its connection. */
  final FlowKey key;

  /** The ports on its path. */
  DeadlinePort[] path;

  /** Deadline, or {@link #NEVER}. */
  long deadlineNanos;

  /** Flow_size, bytes; 0 if it is not known. */
  long sizeBytes;

  /** Whether the deadline was promised; others are served behind those that were. */
  boolean promised;

  /** Null while no connection has been seen. */
  FlowKey connection;

  /** It had a deadline; what it sends beyond that is served behind all promises. */
  boolean demoted;

  /** The deadline has passed and the flow is not to go on. */
  boolean closed;

  /** It sends nothing although it may: it takes no part in what is divided. */
  boolean idle;

  /** The law holds its source to a share of what it crosses: it takes no part in windows. */
  boolean shared;

  /** Of the flows of its source; set while it is in the table. */
  SourceFlows siblings;

  /** When it was last known to wait with a closed window, ns; long ago if never. */
  long shutNanos = LONG_AGO;

  /** What has arrived since the connection began, bytes, and when that was reported. */
  long deliveredBytes;

  long progressNanos;

  /** Before this its connection is not expected to begin, ns; long ago if it may at any time. */
  long beginsNanos = LONG_AGO;

  /** When its connection began, ns; long ago if it has not, or if unknown. */
  long openedNanos = LONG_AGO;

  /** When the last of it arrived, as far as its host can know, ns; long ago if nothing has. */
  long arrivedNanos = LONG_AGO;

  /** Round trip without queues, and the latest one, ns. */
  long baseRoundTripNanos;

  long roundTripNanos;

  /** What comes with its first window, bytes, as long as nothing has arrived. */
  double firstBytes;

  /** Its host had a window for it before its SYN. */
  boolean beginsWithGrant;

  // The window in force, and since when: here, for of most flows those before it are never read.
  private long windowBytes;
  private long windowSinceNanos = LONG_AGO;
  private final WindowHistory history = new WindowHistory();

  /** What its host was sent last. */
  long publishedBytes = UNPUBLISHED;

  GifRow(
      long order,
      long id,
      FlowKey key,
      DeadlinePort[] path,
      long sizeBytes,
      long deadlineNanos,
      boolean promised) {
    this.order = order;
    this.id = id;
    this.key = key;
    this.path = path;
    this.sizeBytes = sizeBytes;
    this.deadlineNanos = deadlineNanos;
    this.promised = promised;
  }

  /** Reads something of each of its lines in memory. */
  long touch() {
    return deadlineNanos + roundTripNanos + path.length + touchRound();
  }

  @Override
  protected DeadlinePort[] path() {
    return path;
  }

  @Override
  protected boolean hasDeadline() {
    return deadlineNanos != NEVER;
  }

  /** Whether it has a deadline, and that was promised. */
  boolean isPromised() {
    return promised && hasDeadline();
  }

  @Override
  protected long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  protected boolean takesPart() {
    return isSending() && !closed && !idle && !shared;
  }

  @Override
  protected boolean isAwaited() {
    return !isSending();
  }

  @Override
  protected boolean hasBase() {
    return !hasDeadline() && !demoted && !idle && !shared;
  }

  /** Another deadline, or {@link #NEVER}. */
  void setDeadline(long nanos) {
    deadlineNanos = nanos;
    forgetAim();
  }

  /** When its connection began, ns; empty if it has not, or if unknown. */
  OptionalLong opened() {
    return openedNanos == LONG_AGO ? OptionalLong.empty() : OptionalLong.of(openedNanos);
  }

  boolean isSending() {
    return connection != null;
  }

  /** Takes over what is known of a connection that sends already. */
  void continues(GifRow sending) {
    connection = sending.connection;
    deliveredBytes = sending.deliveredBytes;
    openedNanos = sending.openedNanos;
    progressNanos = sending.progressNanos;
    arrivedNanos = sending.arrivedNanos;
    baseRoundTripNanos = sending.baseRoundTripNanos;
    roundTripNanos = sending.roundTripNanos;
    windowBytes = sending.windowBytes;
    windowSinceNanos = sending.windowSinceNanos;
    history.copy(sending.history);
    publishedBytes = sending.publishedBytes;
  }

  /** Who sends, whatever its ports are. */
  IpAddress source() {
    return key.source();
  }

  /** What messages to its host name. */
  FlowKey name() {
    return connection != null ? connection : key;
  }

  @Override
  protected long remainingBytes() {
    return Math.max(0, sizeBytes - deliveredBytes);
  }

  @Override
  protected long baseRoundTripNanos() {
    return baseRoundTripNanos;
  }

  @Override
  protected long roundTripNanos() {
    return roundTripNanos;
  }

  /**
   * RSize less what the flow will have sent since it was reported on, which is a window every round
   * trip: of each window that it has had since then, and of those that were still in transit to it.
   */
  @Override
  protected double expectedRemainingBytes(long nowNanos, long latencyNanos, double roundTripNanos) {
    long from = Math.min(nowNanos, progressNanos) - latencyNanos;
    return remainingBytes() - windowByteNanos(from, nowNanos) / roundTripNanos;
  }

  @Override
  protected boolean isPublished() {
    return publishedBytes != UNPUBLISHED || beginsWithGrant;
  }

  /** The window in force, bytes; 0 before there was any. */
  @Override
  protected long windowBytes() {
    return windowBytes;
  }

  @Override
  protected long widestWindowBytes(long sinceNanos) {
    long since = windowSinceNanos;
    return since <= sinceNanos
        ? windowBytes
        : Math.max(windowBytes, history.widestBytes(sinceNanos, since));
  }

  /** The wider of the window in force and the one before, bytes. */
  long widestWindowBytes() {
    return Math.max(windowBytes, history.latestBytes());
  }

  /** Another window is in force from now on; times do not go back. */
  @Override
  protected void setWindow(long bytes, long nowNanos) {
    boolean first = windowSinceNanos == LONG_AGO;
    if (first || bytes != windowBytes) {
      if (!first) {
        history.add(windowBytes, windowSinceNanos);
      }
      windowBytes = bytes;
      windowSinceNanos = nowNanos;
    }
  }

  /** The integral of the window over time, from then until now, bytes x ns; of none before all. */
  double windowByteNanos(long fromNanos, long nowNanos) {
    long since = Math.max(fromNanos, windowSinceNanos);
    double present = (double) windowBytes * Math.max(0, nowNanos - since);
    return since == fromNanos ? present : present + history.byteNanos(fromNanos, since);
  }

  /** A round trip was measured, ns; the sums of the ports on its path follow. */
  void measured(long nanos) {
    long least = Math.min(baseRoundTripNanos, nanos);
    for (DeadlinePort port : path) {
      port.addRoundTrips(least - baseRoundTripNanos, nanos - roundTripNanos);
      port.measured(nanos);
    }
    baseRoundTripNanos = least;
    roundTripNanos = nanos;
  }

  /** Its first window is in transit to all ports, or has arrived. */
  void setFirst(double bytes) {
    for (DeadlinePort port : path) {
      port.addFirst(bytes - firstBytes);
    }
    firstBytes = bytes;
  }

  /** Ports on its path count it as one that has not begun, or no longer. */
  void await(boolean on) {
    for (DeadlinePort port : path) {
      port.await(on ? 1 : -1);
    }
  }

  /** It becomes idle, or active again. */
  void setIdle(boolean on) {
    stepAside(on);
    idle = on;
    joinPorts();
  }

  /** Windows are not divided among it and others any longer, or are again. */
  void setShared(boolean on) {
    stepAside(on);
    shared = on;
    joinPorts();
  }

  /** Its ports forget it until it joins them anew as it will be then. */
  private void stepAside(boolean takesNoPart) {
    if (takesNoPart) {
      setFirst(0);
    }
    leavePorts();
  }

  void joinPorts() {
    for (DeadlinePort port : path) {
      port.join(this);
    }
  }

  void leavePorts() {
    for (DeadlinePort port : path) {
      port.leave(this);
    }
  }

  boolean crossesCongestion() {
    for (DeadlinePort port : path) {
      if (port.isCongested()) {
        return true;
      }
    }
    return false;
  }

  /** Whether the law shares a port on its path, and every one that is congested. */
  boolean crossesSharedPorts() {
    boolean found = false;
    for (DeadlinePort port : path) {
      if (port.isCongested() && !port.isShared()) {
        return false;
      }
      found |= port.isShared();
    }
    return found;
  }

  boolean crossesFreePort() {
    for (DeadlinePort port : path) {
      if (!port.isCongested()) {
        return true;
      }
    }
    return false;
  }

  /** 0: promised, 1: not promised, 2: without a deadline. */
  private int rank() {
    if (!hasDeadline()) {
      return 2;
    }
    return promised ? 0 : 1;
  }

  /** Promised ones first, earliest deadline first, and of equals the one that came first. */
  boolean comesBefore(GifRow other) {
    if (rank() != other.rank()) {
      return rank() < other.rank();
    }
    if (deadlineNanos != other.deadlineNanos) {
      return deadlineNanos < other.deadlineNanos;
    }
    return order < other.order;
  }
}
