// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.function.LongConsumer;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;

/**
 * A TCP connection from the endpoint that opens it and sends to the one that receives. When it is
 * closed it may be opened again, as another connection: a program with many short transfers keeps a
 * few of these, not one for each.
 */
public final class TcpFlow implements Flow {
  /** So many bytes that they never end. */
  public static final long ENDLESS = Long.MAX_VALUE / 2;

  /** No time at which the bytes are due. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  private static final Runnable NOTHING = () -> {};
  private static final LongConsumer NOBODY = bytes -> {};

  private static final int HIGHEST_PORT = 65535;

  private final String name;
  private final int sourcePort;
  private Endpoint source;
  private Endpoint destination;
  private final Scheduler scheduler;
  private final FlowStatistics statistics = new FlowStatistics();
  private final TcpSender sender;
  private final TcpReceiver receiver;
  private final Direction forth;
  private final Direction back;
  private final Event opening = new Opening();
  private final Event stopping = new Stopping();

  private long bytes;
  private long writtenEarlyBytes;
  private long deadlineNanos = NO_DEADLINE;
  private int connections;
  private Runnable onComplete = NOTHING;
  private Runnable onClosed = NOTHING;
  private LongConsumer onDelivered = NOBODY;

  /**
   * @param name not another flow's: packets are hashed by it
   * @param bytes to send and then to close; {@link #ENDLESS}; or 0: to stay open for {@link #write}
   */
  public TcpFlow(
      Network network,
      String name,
      Endpoint from,
      Endpoint to,
      TcpParameters parameters,
      long bytes) {
    this.name = name;
    this.source = from;
    this.destination = to;
    this.scheduler = network.scheduler();
    this.bytes = requireBytes(bytes);
    sender = new TcpSender(scheduler, this, parameters, network.random().stream("tcp " + name));
    receiver = new TcpReceiver(scheduler, this, parameters);
    int seed = network.random().stream("flow " + name).nextInt();
    forth = new Direction(network.pool(), from, to, Protocol.TCP, seed, receiver);
    back = new Direction(network.pool(), to, from, Protocol.TCP, ~seed, sender);
    sender.sendVia(forth);
    receiver.sendVia(back);
    sourcePort = 1 + network.nextFlowNumber() % HIGHEST_PORT;
  }

  private static long requireBytes(long value) {
    if (value < 0 || value > ENDLESS) {
      throw new IllegalArgumentException("bytes must be 0 to " + ENDLESS + ", not " + value);
    }
    return value;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Endpoint source() {
    return source;
  }

  @Override
  public Endpoint destination() {
    return destination;
  }

  @Override
  public int pathHash() {
    return forth.flowHash();
  }

  @Override
  public FlowStatistics statistics() {
    return statistics;
  }

  /** Arms the opening of the connection; of a closed flow: of the next, with as many bytes. */
  @Override
  public void start(long atNanos) {
    scheduler.arm(opening, atNanos);
  }

  /**
   * Opens a closed flow again.
   *
   * @param nextBytes as for the constructor
   */
  public void start(long atNanos, long nextBytes) {
    bytes = requireBytes(nextBytes);
    start(atNanos);
  }

  /**
   * Opens a closed flow again, between other endpoints.
   *
   * @param nextBytes as for the constructor
   * @throws IllegalStateException if it is not closed
   */
  public void start(long atNanos, Endpoint from, Endpoint to, long nextBytes) {
    requireClosed();
    source = from;
    destination = to;
    forth.connect(from, to);
    back.connect(to, from);
    start(atNanos, nextBytes);
  }

  private void requireClosed() {
    if (!sender.isClosed()) {
      throw new IllegalStateException("flow " + name + " is open already");
    }
  }

  /**
   * Arms the end: the application gives no more, and what it gave but was not sent is withdrawn.
   * What was sent is delivered, and then the connection closes.
   */
  @Override
  public void stop(long atNanos) {
    scheduler.arm(stopping, atNanos);
  }

  /**
   * Gives more bytes to a connection that stays open; before it is open, they wait.
   *
   * @param more above 0
   */
  public void write(long more) {
    if (more <= 0) {
      throw new IllegalArgumentException("bytes to write must be above 0, not " + more);
    }
    if (!sender.isEstablished()) {
      writtenEarlyBytes += more;
    } else {
      sender.write(more, false);
    }
  }

  /** Sets when the bytes are due, for congestion controls that use deadlines; absolute, ns. */
  public void setDeadlineNanos(long atNanos) {
    deadlineNanos = atNanos;
  }

  /** Is run whenever all bytes written so far have been delivered at the destination. */
  public void onComplete(Runnable action) {
    onComplete = action;
  }

  /** Is run when all is acknowledged: now the flow may be started again. */
  public void onClosed(Runnable action) {
    onClosed = action;
  }

  /** Is given the number of payload bytes whenever some are delivered in order. */
  public void onDelivered(LongConsumer action) {
    onDelivered = action;
  }

  /** Whether no connection is open or being opened. */
  public boolean isClosed() {
    return sender.isClosed();
  }

  /** Which of the network's flows this is, on its source's side. */
  public int sourcePort() {
    return sourcePort;
  }

  /** Which of its connections the next one is: no two that follow each other have the same. */
  public int nextDestinationPort() {
    return 1 + connections % HIGHEST_PORT;
  }

  /** By what switches choose among equal paths for what its source sends now. */
  public int flowHash() {
    return forth.flowHash();
  }

  /** What the present or latest connection was opened for, bytes. */
  public long bytes() {
    return bytes;
  }

  /** Read only: the present connection's. */
  public CongestionControl congestionControl() {
    return sender.control();
  }

  /** Bytes sent and neither delivered nor lost, as the source sees it (RFC 6675's pipe). */
  public long flightBytes() {
    return sender.board().pipeBytes();
  }

  @Override
  public String toString() {
    return name;
  }

  /** When the bytes are due, ns; {@link #NO_DEADLINE} for never. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  boolean ownsOutgoing(Packet packet) {
    return forth.owns(packet);
  }

  boolean ownsReturning(Packet packet) {
    return back.owns(packet);
  }

  void established() {
    if (bytes > 0) {
      sender.write(bytes, bytes < ENDLESS);
    }
    if (writtenEarlyBytes > 0) {
      long early = writtenEarlyBytes;
      writtenEarlyBytes = 0;
      sender.write(early, false);
    }
  }

  void delivered(long newBytes, long allBytes) {
    onDelivered.accept(newBytes);
    if (allBytes == sender.writtenBytes()) {
      statistics.completionNanos = scheduler.now();
      statistics.completions++;
      onComplete.run();
    }
  }

  void closed() {
    onClosed.run();
  }

  private final class Opening extends Event {
    @Override
    protected void fire() {
      requireClosed();
      forth.use(connections);
      back.use(connections);
      forth.between(sourcePort, nextDestinationPort());
      back.between(nextDestinationPort(), sourcePort);
      connections++;
      receiver.open();
      statistics.startNanos = scheduler.now();
      statistics.completionNanos = FlowStatistics.NOT_YET;
      sender.open();
    }
  }

  private final class Stopping extends Event {
    @Override
    protected void fire() {
      writtenEarlyBytes = 0;
      if (!sender.isClosed()) {
        sender.finish();
      }
    }
  }
}
