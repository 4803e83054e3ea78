// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;

/**
 * Awaits sFlow datagrams by UDP, on a thread of its own, and estimates what flows have sent.
 * Thread-safe.
 */
public final class SflowCollector implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SflowCollector.class);

  /** More than any datagram of UDP has. */
  private static final int BUFFER_BYTES = 1 << 16;

  /** Datagrams between two checks of what else is due. */
  private static final int BATCH = 64;

  private static final long STOP_MILLIS = 5000;
  private static final long WARNING_NANOS = 10_000_000_000L;

  private final Counters counters = new Counters();
  private final SocketDrops drops = new SocketDrops();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final DatagramIntake intake;
  private final Selector selector;
  private final DatagramChannel channel;
  private final int port;
  private final int receiveBufferBytes;
  private final Thread thread;
  private volatile boolean closing;
  private long nextWarningNanos = System.nanoTime();

  private SflowCollector(SflowConfig config, SflowListener listener) throws IOException {
    intake = new DatagramIntake(config, listener, counters, System.nanoTime());
    selector = Selector.open();
    channel = DatagramChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
      channel.bind(
          config.address().isEmpty()
              ? new InetSocketAddress(config.port())
              : new InetSocketAddress(config.address(), config.port()));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
      port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
      receiveBufferBytes = channel.getOption(StandardSocketOptions.SO_RCVBUF);
    } catch (IOException | RuntimeException e) {
      channel.close();
      selector.close();
      throw e;
    }
    thread = new Thread(this::run, "sluice-sflow");
    thread.setDaemon(true);
  }

  /**
   * Listens for datagrams.
   *
   * @param listener takes what is found out; it must not wait
   * @throws SluiceException if the address or port cannot be had
   */
  public static SflowCollector start(SflowConfig config, SflowListener listener)
      throws SluiceException {
    SflowCollector started;
    try {
      started = new SflowCollector(config, listener);
    } catch (IOException | RuntimeException e) {
      throw new SluiceException(
          SluiceException.Kind.UNAVAILABLE,
          "sflowPort",
          String.valueOf(config.port()),
          "cannot listen on "
              + (config.address().isEmpty() ? "any address" : config.address())
              + ": "
              + e.getMessage(),
          "Choose a free UDP port on an address of this machine");
    }
    started.thread.start();
    log.info(
        "Listening for sFlow datagrams of {} agents on UDP port {}, with {} bytes of receive"
            + " buffer",
        config.agents().size(),
        started.port,
        started.receiveBufferBytes);
    return started;
  }

  /** The UDP port it listens on. */
  public int port() {
    return port;
  }

  /** Whether it still receives: not after it was closed, nor after a fault of its socket. */
  public boolean isListening() {
    return thread.isAlive() && !closing;
  }

  /** What became of datagrams and samples; counts of one moment may differ by what is under way. */
  public SflowCounts counts() {
    return counters
        .read()
        .kernelDropped(drops.read(port))
        .receiveBufferBytes(receiveBufferBytes)
        .build();
  }

  /**
   * Stops listening, and returns when its thread has ended; not to be called by the listener. What
   * was not reported until then is not.
   */
  @Override
  public void close() {
    closing = true;
    selector.wakeup();
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try (selector;
        channel) {
      while (!closing) {
        boolean more = receive();
        intake.turn(System.nanoTime());
        if (!more) {
          await();
        }
      }
    } catch (IOException | RuntimeException e) {
      log.error("No sFlow datagram is received until the collector is started anew", e);
    }
  }

  /** Receives a batch; whether there may be more. */
  private boolean receive() throws IOException {
    for (int i = 0; i < BATCH; i++) {
      buffer.clear();
      InetSocketAddress sender = (InetSocketAddress) channel.receive(buffer);
      if (sender == null) {
        return false;
      }
      buffer.flip();
      warn(intake.take(sender.getAddress(), buffer, System.nanoTime()), sender);
    }
    return true;
  }

  private void await() throws IOException {
    long millis = TimeUnit.NANOSECONDS.toMillis(intake.nextTurnNanos() - System.nanoTime());
    selector.select(Math.max(1, millis + 1));
    selector.selectedKeys().clear();
  }

  /** Whoever reaches the port can make such lines: one in ten seconds is enough. */
  private void warn(DatagramIntake.Outcome outcome, InetSocketAddress sender) {
    if (outcome == DatagramIntake.Outcome.TAKEN
        || outcome == DatagramIntake.Outcome.DUPLICATE
        || System.nanoTime() - nextWarningNanos < 0) {
      return;
    }
    nextWarningNanos = System.nanoTime() + WARNING_NANOS;
    String address = sender.getAddress().getHostAddress();
    switch (outcome) {
      case FOREIGN:
        log.warn(
            "sFlow datagrams of {} are dropped: to accept them add it to sflowAgents", address);
        break;
      case OVER_QUOTA:
        log.warn("{} sends too many sFlow datagrams: have it sample fewer packets", address);
        break;
      case TAKEN_IN_PART:
        log.warn("{} sends malformed sFlow samples, which are skipped", address);
        break;
      default:
        log.warn("{} sends malformed sFlow datagrams, which are dropped", address);
    }
  }
}
