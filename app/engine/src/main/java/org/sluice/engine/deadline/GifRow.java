// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.WindowGrant;

/**
 * A row of the GIF table (Figure 5): a flow, when it was announced, when it is due, how much it has
 * to send, and how much of that is left. Its priority is its place in the table.
 */
final class GifRow {
  /** No deadline. */
  static final long NEVER = Long.MAX_VALUE;

  static final long UNREGISTERED = 0;

  private static final long LONG_AGO = Long.MIN_VALUE;

  /** Its host has been told nothing yet. */
  static final long UNTOLD = WindowGrant.RELEASED - 1;

  /** What its registration is known by; {@link #UNREGISTERED} if nobody registered it. */
  final long id;

  /** When it came to this table: no two are equal. */
  final long order;

  /** As registered, ports may stand for any; of a flow that nobody registered its connection. */
  final FlowKey key;

  /** The ports on its way. */
  DeadlinePort[] path;

  /** Deadline, or {@link #NEVER}. */
  long deadlineNanos;

  /** By when it is to be through if others can wait; long ago if there is nothing to aim at yet. */
  private long aimNanos = LONG_AGO;

  /** Flow_size, bytes; 0 if nobody said. */
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
  boolean resting;

  /** When it was last known to wait with a closed window, ns; long ago if never. */
  long shutNanos = LONG_AGO;

  /** What has arrived since the connection began, bytes, and when that was told. */
  long deliveredBytes;

  long progressNanos;

  /** When the last of it arrived, as far as its host can tell, ns; long ago if nothing has. */
  long arrivedNanos = LONG_AGO;

  /** Round trip without queues, and the latest one, ns. */
  long baseRoundTripNanos;

  long roundTripNanos;

  /** What comes with its first window, bytes, as long as nothing has arrived. */
  double firstBytes;

  // The window in force, and since when: here, for of most flows those before it are never asked.
  private long windowBytes;
  private long windowSinceNanos = LONG_AGO;
  private final FormerWindows formerWindows = new FormerWindows();

  /** What its host was told last. */
  long toldBytes = UNTOLD;

  // Of the present round of allocation: whether it takes part, how long a window of it is on the
  // way (ns), what it is due, what it can use, and what it has on the way.
  boolean governed;
  double fullRoundTripNanos;
  long allocatedBytes;
  double usefulBytes;
  double heldBytes;

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
    return deadlineNanos + roundTripNanos + (long) usefulBytes + path.length + (governed ? 1 : 0);
  }

  boolean hasDeadline() {
    return deadlineNanos != NEVER;
  }

  /** Whether it has a deadline, and that was promised. */
  boolean isPromised() {
    return promised && hasDeadline();
  }

  /** Whether it has a base window whatever else is on the way. */
  boolean hasBase() {
    return !hasDeadline() && !demoted && !resting;
  }

  /** Another deadline, or {@link #NEVER}. */
  void setDeadline(long nanos) {
    deadlineNanos = nanos;
    aimNanos = LONG_AGO;
  }

  /**
   * So much of its time is left to it if others can wait: up to {@link DeadlineParameters#HASTE} of
   * what it had when it began to send, and if that was not enough of what it had then. A part of
   * what is left at each moment would not do: it shrinks with every look, and the last bytes come
   * at the deadline whatever the part is.
   *
   * @return ns, above 0 before the deadline
   */
  long hasteNanos(long nowNanos) {
    if (nowNanos >= aimNanos) {
      aimNanos = nowNanos + (long) Math.ceil(DeadlineParameters.HASTE * (deadlineNanos - nowNanos));
    }
    return aimNanos - nowNanos;
  }

  boolean isSending() {
    return connection != null;
  }

  /** Takes over what is known of a connection that sends already. */
  void continues(GifRow sending) {
    connection = sending.connection;
    deliveredBytes = sending.deliveredBytes;
    progressNanos = sending.progressNanos;
    arrivedNanos = sending.arrivedNanos;
    baseRoundTripNanos = sending.baseRoundTripNanos;
    roundTripNanos = sending.roundTripNanos;
    windowBytes = sending.windowBytes;
    windowSinceNanos = sending.windowSinceNanos;
    formerWindows.copy(sending.formerWindows);
    toldBytes = sending.toldBytes;
  }

  /** Who sends, whatever its ports are. */
  IpAddress source() {
    return key.source();
  }

  /** What messages to its host name. */
  FlowKey name() {
    return connection != null ? connection : key;
  }

  /** RSize: what has not arrived yet, bytes. */
  long remainingBytes() {
    return Math.max(0, sizeBytes - deliveredBytes);
  }

  /**
   * What will be left when a decision of now takes effect: RSize less what the flow will have sent
   * since it was told of, which is a window every round trip: of each window that it has had since
   * then, and of those that were still on their way to it. Below 0 if that is more than there was.
   */
  double expectedRemainingBytes(long nowNanos, long latencyNanos, double roundTripNanos) {
    long from = Math.min(nowNanos, progressNanos) - latencyNanos;
    return remainingBytes() - windowByteNanos(from, nowNanos) / roundTripNanos;
  }

  /** The window in force, bytes; 0 before there was any. */
  long windowBytes() {
    return windowBytes;
  }

  /** The wider of the window in force and the one before, bytes. */
  long widestWindowBytes() {
    return Math.max(windowBytes, formerWindows.latestBytes());
  }

  /** Another window is in force from now on; times do not go back. */
  void setWindow(long bytes, long nowNanos) {
    boolean first = windowSinceNanos == LONG_AGO;
    if (first || bytes != windowBytes) {
      if (!first) {
        formerWindows.add(windowBytes, windowSinceNanos);
      }
      windowBytes = bytes;
      windowSinceNanos = nowNanos;
    }
  }

  /** The integral of the window over time, from then until now, bytes x ns; of none before all. */
  double windowByteNanos(long fromNanos, long nowNanos) {
    long since = Math.max(fromNanos, windowSinceNanos);
    double present = (double) windowBytes * Math.max(0, nowNanos - since);
    return since == fromNanos ? present : present + formerWindows.byteNanos(fromNanos, since);
  }

  /** A round trip was measured, ns; ports on its way are told. */
  void measured(long nanos) {
    long least = Math.min(baseRoundTripNanos, nanos);
    for (DeadlinePort port : path) {
      port.addRoundTrips(least - baseRoundTripNanos, nanos - roundTripNanos);
    }
    baseRoundTripNanos = least;
    roundTripNanos = nanos;
  }

  /** Its first window is on the way to all ports, or has arrived. */
  void setFirst(double bytes) {
    for (DeadlinePort port : path) {
      port.addFirst(bytes - firstBytes);
    }
    firstBytes = bytes;
  }

  /** Ports on its way are told that it is waited for, or no longer. */
  void await(boolean on) {
    for (DeadlinePort port : path) {
      port.await(on ? 1 : -1);
    }
  }

  /** It rests, or goes on. */
  void rest(boolean on) {
    if (on) {
      setFirst(0);
    }
    leavePorts();
    resting = on;
    joinPorts();
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
