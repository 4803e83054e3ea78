// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.polling.PollCounts;

/**
 * One connection from a switch, from its first byte to its end. Everything happens on its channel's
 * thread unless it says otherwise. Whatever a peer does wrong ends this connection alone.
 */
final class SwitchConnection extends ChannelInboundHandlerAdapter
    implements StatisticsExchange.Wire {
  /** A peer that has not become a switch by then is none. */
  static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this long without a byte the switch is sent a request for an echo. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this long without a byte another connection may take its place. */
  private static final long DOUBTFUL_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** After this long without a byte the connection ends. */
  private static final long DEAD_NANOS = TimeUnit.SECONDS.toNanos(6);

  /** What the connection belongs to. */
  interface Owner {
    /** A switch is ready to be read; false: another connection is the switch's. */
    boolean ready(String datapath, SwitchConnection connection);

    /** What to read of it; empty: nothing. */
    Optional<CounterTargets> targets(String datapath);

    /** The connection ended. */
    void gone(Optional<String> datapath, SwitchConnection connection, String reason);
  }

  private final Owner owner;
  private final CounterListener listener;
  private final Xids xids = new Xids();
  private final Handshake handshake = new Handshake(xids);
  private final PollCounts counts = new PollCounts();
  private ChannelHandlerContext context;
  private ScheduledFuture<?> wakeUp;
  private ScheduledFuture<?> check;
  private StatisticsExchange statistics;
  private long openedNanos;
  private String reason = "the switch closed it";
  private volatile String datapath = "";
  private volatile String remoteAddress = "";
  private volatile long receivedNanos;

  SwitchConnection(Owner owner, CounterListener listener) {
    this.owner = owner;
    this.listener = listener;
  }

  @Override
  public void channelActive(ChannelHandlerContext opened) {
    context = opened;
    remoteAddress = String.valueOf(opened.channel().remoteAddress()).replaceFirst("^.*/", "");
    openedNanos = System.nanoTime();
    receivedNanos = openedNanos;
    check =
        opened
            .executor()
            .scheduleAtFixedRate(this::check, CHECK_NANOS, CHECK_NANOS, TimeUnit.NANOSECONDS);
    send(handshake.begin());
  }

  @Override
  public void channelInactive(ChannelHandlerContext closed) {
    if (check != null) {
      check.cancel(false);
    }
    if (wakeUp != null) {
      wakeUp.cancel(false);
    }
    owner.gone(datapath.isEmpty() ? Optional.empty() : Optional.of(datapath), this, reason);
  }

  @Override
  public void channelRead(ChannelHandlerContext read, Object message) {
    Frame frame = (Frame) message;
    try {
      receivedNanos = System.nanoTime();
      if (read.channel().isOpen()) {
        received(frame);
      }
    } catch (ProtocolFault e) {
      close(e.getMessage());
    } finally {
      frame.release();
    }
  }

  private void received(Frame frame) throws ProtocolFault {
    counts.carried(frame.length());
    if (handshake.awaitsHello() != (frame.type() == Frame.HELLO)) {
      throw new ProtocolFault("a message of type " + frame.type() + " came in place of HELLO");
    }
    if (frame.type() == Frame.HELLO && !Hello.allowsVersion13(frame)) {
      send(Messages.helloFailed(frame.xid()));
      throw new ProtocolFault("it does not support OpenFlow 1.3: allow OpenFlow13 on its bridge");
    }
    if (frame.type() != Frame.HELLO
        && (frame.version() != Frame.VERSION_13 || frame.type() > Frame.LAST_TYPE)) {
      throw new ProtocolFault(
          "version "
              + frame.version()
              + " type "
              + frame.type()
              + " is not a message of OpenFlow 1.3");
    }
    if (frame.type() == Frame.ECHO_REQUEST) {
      send(Messages.echoReply(ByteBufUtil.getBytes(frame.body()), frame.xid()));
    } else if (!handshake.isDone()) {
      shakeHands(frame);
    } else if (frame.type() == Frame.MULTIPART_REPLY) {
      statistics.replied(frame);
    } else if (frame.type() == Frame.ERROR) {
      statistics.refused(frame.xid());
    }
    // All else is for masters and equals; until the switch knows our role it may send some.
  }

  private void shakeHands(Frame frame) throws ProtocolFault {
    handshake.received(frame).forEach(this::send);
    if (!handshake.isDone()) {
      return;
    }
    String name = String.format("of:%016x", handshake.datapathId());
    statistics = new StatisticsExchange(name, this, listener, System::nanoTime, xids, counts);
    datapath = name;
    if (!owner.ready(name, this)) {
      throw new ProtocolFault(name + " has a connection already");
    }
    statistics.poller().setTargets(owner.targets(name));
  }

  @Override
  public void send(OFMessage message) {
    ByteBuf bytes = context.alloc().buffer();
    message.writeTo(bytes);
    counts.carried(bytes.readableBytes());
    context.writeAndFlush(bytes);
  }

  @Override
  public void wakeAt(long nanos) {
    if (wakeUp != null) {
      wakeUp.cancel(false);
    }
    wakeUp = null;
    // A word from another thread may come after the end: nothing goes on then.
    if (nanos != Long.MAX_VALUE && context.channel().isActive()) {
      long wait = Math.max(0, nanos - System.nanoTime());
      wakeUp = context.executor().schedule(statistics.poller()::wake, wait, TimeUnit.NANOSECONDS);
    }
  }

  private void check() {
    long now = System.nanoTime();
    if (!handshake.isDone() && now - openedNanos >= HANDSHAKE_NANOS) {
      close("it did not complete the handshake within 5 s");
    } else if (now - receivedNanos >= DEAD_NANOS) {
      close("it sent nothing for too long");
    } else if (!context.channel().isWritable()) {
      close("it does not read what is sent to it");
    } else if (handshake.isDone() && now - receivedNanos >= SILENT_NANOS) {
      send(Messages.echo(xids.next()));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    Throwable inner = cause.getCause() instanceof ProtocolFault ? cause.getCause() : cause;
    close(
        inner instanceof ProtocolFault || inner instanceof IOException
            ? inner.getMessage()
            : inner.toString());
  }

  /** Reads these from now on. From any thread. */
  void setTargets(Optional<CounterTargets> targets) {
    context.executor().execute(() -> statistics.poller().setTargets(targets));
  }

  /** Reads a port every 5 ms for a while. From any thread. */
  void watch(long port, long forNanos) {
    context.executor().execute(() -> statistics.poller().watch(port, forNanos));
  }

  /** Whether something was received from it lately. From any thread. */
  boolean isAlive() {
    return System.nanoTime() - receivedNanos < DOUBTFUL_NANOS && context.channel().isActive();
  }

  /** Ends it. From any thread. */
  void close(String why) {
    if (context.executor().inEventLoop()) {
      if (context.channel().isOpen()) {
        reason = why;
        context.close();
      }
    } else {
      context.executor().execute(() -> close(why));
    }
  }

  /** How it goes. From any thread. */
  SwitchCounters status() {
    return counts.status(datapath).remoteAddress(remoteAddress).build();
  }
}
