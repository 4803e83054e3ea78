// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;

/**
 * Awaits switches and reads the counters of those that it is given. Samples come on its own
 * threads, those of one switch one after another. Thread-safe.
 */
public final class FastCounters implements CounterReader {
  private static final Logger log = LoggerFactory.getLogger(FastCounters.class);
  private static final int THREADS = 2;
  private static final int BACKLOG = 128;
  private static final long STOP_SECONDS = 5;
  private static final long FAULT_LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final FastCountersConfig config;
  private final CounterListener listener;
  private final EventLoopGroup accepting = group("sluice-openflow-accept", 1);
  private final EventLoopGroup working = group("sluice-openflow", THREADS);
  private final SwitchTable switches = new SwitchTable();
  private final Map<String, CounterTargets> targets = new ConcurrentHashMap<>();
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong nextFaultLogNanos = new AtomicLong(System.nanoTime());
  private final SwitchConnection.Owner owner = new Connections();
  private volatile boolean closing;
  private Channel server;

  private FastCounters(FastCountersConfig config, CounterListener listener) {
    this.config = config;
    this.listener = listener;
  }

  /**
   * Listens for switches.
   *
   * @param listener takes every sample; it must not wait
   * @throws SluiceException if the address or port cannot be had
   */
  public static FastCounters start(FastCountersConfig config, CounterListener listener)
      throws SluiceException {
    FastCounters started = new FastCounters(config, listener);
    try {
      started.listen();
    } catch (SluiceException | RuntimeException e) {
      started.close();
      throw e;
    }
    return started;
  }

  private void listen() throws SluiceException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(accepting, working)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new NewConnection());
    InetSocketAddress address =
        config.address().isEmpty()
            ? new InetSocketAddress(config.port())
            : new InetSocketAddress(config.address(), config.port());
    try {
      server = bootstrap.bind(address).syncUninterruptibly().channel();
    } catch (Exception e) { // Netty throws checked ones where none are declared.
      throw new SluiceException(
          SluiceException.Kind.UNAVAILABLE,
          "fastCountersPort",
          String.valueOf(config.port()),
          "cannot listen on " + address + ": " + e.getMessage(),
          "Choose a free port on an address of this machine");
    }
  }

  @Override
  public int port() {
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  @Override
  public void read(String datapath, CounterTargets wanted) {
    if (!wanted.equals(targets.put(datapath, wanted))) {
      switches.find(datapath).ifPresent(found -> found.setTargets(Optional.of(wanted)));
    }
  }

  @Override
  public void stopReading(String datapath) {
    if (targets.remove(datapath) != null) {
      switches.find(datapath).ifPresent(found -> found.setTargets(Optional.empty()));
    }
  }

  @Override
  public void watch(PortId port, long forNanos) {
    switches.find(port.datapath()).ifPresent(found -> found.watch(port.number(), forNanos));
  }

  @Override
  public boolean isConnected(String datapath) {
    return switches.find(datapath).isPresent();
  }

  @Override
  public List<SwitchCounters> switches() {
    List<SwitchCounters> all = new ArrayList<>();
    switches.all().forEach(connection -> all.add(connection.status()));
    all.sort(Comparator.comparing(SwitchCounters::datapath));
    return all;
  }

  @Override
  public void close() {
    if (server != null) {
      server.close().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
    }
    closing = true;
    open.forEach(Channel::close);
    accepting.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
    working.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
    accepting.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
    working.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
  }

  private static EventLoopGroup group(String name, int threads) {
    return new NioEventLoopGroup(threads, new DefaultThreadFactory(name, true));
  }

  private final class NewConnection extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel channel) {
      if (open.size() >= config.maxConnections()) {
        warn(
            "A connection from {} is refused: there are {} already",
            channel.remoteAddress(),
            config.maxConnections());
        channel.close();
        return;
      }
      open.add(channel);
      channel.closeFuture().addListener(closed -> open.remove(channel));
      channel.pipeline().addLast(new FrameDecoder(), new SwitchConnection(owner, listener));
    }
  }

  /** Whoever can reach the port can make such lines: one in ten seconds is enough. */
  private void warn(String format, Object... details) {
    long now = System.nanoTime();
    long next = nextFaultLogNanos.get();
    if (now - next >= 0 && nextFaultLogNanos.compareAndSet(next, now + FAULT_LOG_NANOS)) {
      log.warn(format, details);
    } else {
      log.debug(format, details);
    }
  }

  private final class Connections implements SwitchConnection.Owner {
    @Override
    public boolean ready(String datapath, SwitchConnection connection) {
      boolean claimed = switches.claim(datapath, connection);
      if (claimed) {
        log.info("Switch {} is connected; this controller's role is SLAVE", datapath);
      }
      return claimed;
    }

    @Override
    public Optional<CounterTargets> targets(String datapath) {
      return Optional.ofNullable(targets.get(datapath));
    }

    @Override
    public void gone(Optional<String> datapath, SwitchConnection connection, String reason) {
      datapath.ifPresent(name -> switches.release(name, connection));
      if (closing) {
        return;
      }
      if (datapath.isPresent()) {
        log.info("The connection of {} ended: {}", datapath.get(), reason);
      } else {
        warn("A connection ended before a switch completed the handshake on it: {}", reason);
      }
    }
  }
}
