// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.DownlinkMessage;

/**
 * The controller's end of the agent link. Agents dial it over mutual TLS; only the certificate
 * identifies the host. Listens from {@link #start} on, until {@link #close}, which leaves no
 * thread, socket or session behind.
 */
public final class AgentLinkServer implements AgentLink, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AgentLinkServer.class);
  private static final String THREADS = "sluice-agentlink";
  private static final int WORKERS = 2;
  private static final int MAX_CALLS_PER_CONNECTION = 4;
  private static final long GREET_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CLOSE_WITHIN_SECONDS = 5;

  private final HostChannels hosts = new HostChannels();
  private final HealthService health = new HealthService();
  private final AgentLinkConfig config;
  private final ExecutorService executor =
      Executors.newFixedThreadPool(WORKERS, new DefaultThreadFactory(THREADS, true));
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory(THREADS + "-timer", true));
  private final EventLoopGroup boss = eventLoops(1, "-accept");
  private final EventLoopGroup io = eventLoops(WORKERS, "-io");
  private final RenewableTls tls;
  private final Server server;

  private static EventLoopGroup eventLoops(int threads, String suffix) {
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(THREADS + suffix, true), NioIoHandler.newFactory());
  }

  private AgentLinkServer(AgentLinkConfig config, InetSocketAddress address, RenewableTls tls) {
    this.config = config;
    this.tls = tls;
    this.server =
        NettyServerBuilder.forAddress(address)
            .channelType(NioServerSocketChannel.class)
            .bossEventLoopGroup(boss)
            .workerEventLoopGroup(io)
            .executor(executor)
            .sslContext(tls)
            .maxInboundMessageSize(HostLimits.MOST_MESSAGE_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            // A host that vanished without closing is noticed within about a lease.
            .keepAliveTime(config.leaseMillis() / 2, TimeUnit.MILLISECONDS)
            .keepAliveTimeout(config.leaseMillis() / 2, TimeUnit.MILLISECONDS)
            .permitKeepAliveTime(100, TimeUnit.MILLISECONDS)
            .permitKeepAliveWithoutCalls(true)
            .maxConnectionIdle(1, TimeUnit.MINUTES)
            .addService(
                ServerInterceptors.intercept(
                    new SessionService(hosts, config, executor, timer), new PeerIdentity(hosts)))
            .addService(ServerInterceptors.intercept(health, new PeerIdentity(hosts)))
            .build();
  }

  /**
   * Starts to listen.
   *
   * @throws SluiceException INVALID naming the address or file that cannot be used; UNAVAILABLE if
   *     the port is taken
   */
  public static AgentLinkServer start(AgentLinkConfig config) throws SluiceException {
    InetSocketAddress address = address(config);
    RenewableTls tls = new RenewableTls(LinkTls.serverContext(config));
    AgentLinkServer link = new AgentLinkServer(config, address, tls);
    try {
      link.server.start();
    } catch (IOException e) {
      link.close();
      throw new SluiceException(
          SluiceException.Kind.UNAVAILABLE,
          "port",
          config.bindAddress() + ":" + config.port(),
          "The agent link cannot listen there: " + rootMessage(e),
          "Free the port, or choose another one here and in the agents' configuration");
    }
    // Checked twice as often as needed: a message that is due just after a check is still in time.
    long checkMillis = Math.max(1, config.leaseMillis() / 6);
    link.timer.scheduleAtFixedRate(
        () -> link.tick(TimeUnit.MILLISECONDS.toNanos(checkMillis)),
        checkMillis,
        checkMillis,
        TimeUnit.MILLISECONDS);
    log.info("Agent link listens on {}:{}", config.bindAddress(), link.localPort());
    return link;
  }

  /** The TCP port that it listens on. */
  public int localPort() {
    return server.getPort();
  }

  @Override
  public Set<HostId> connectedHosts() {
    Set<HostId> connected = new TreeSet<>();
    hosts.channels().stream()
        .filter(channel -> channel.session().isPresent())
        .forEach(channel -> connected.add(channel.host()));
    return connected;
  }

  @Override
  public void send(HostId host, long term, DownlinkMessage message) {
    hosts.session(host).ifPresent(session -> session.send(term, message));
  }

  @Override
  public void addListener(AgentLinkListener listener) {
    hosts.addListener(listener);
  }

  @Override
  public void removeListener(AgentLinkListener listener) {
    hosts.removeListener(listener);
  }

  /** Who may connect from now on; sessions of others end at once. */
  public void setAccess(HostAccess access) {
    hosts.setAccess(access);
  }

  /**
   * Goes by what the files hold now for agents that connect from now on; sessions go on.
   *
   * @throws SluiceException INVALID naming the file that cannot be used; nothing has changed then
   */
  public void renewTls() throws SluiceException {
    tls.renew(LinkTls.serverContext(config));
  }

  /** What went over the link since the start, for every host that had a session, by id. */
  public List<HostLinkStats> stats() {
    List<HostLinkStats> stats = new ArrayList<>();
    hosts.channels().forEach(channel -> stats.add(channel.stats()));
    stats.sort(Comparator.comparing(HostLinkStats::host));
    return stats;
  }

  /** How many calls and messages were refused since the start. */
  public long refusals() {
    return hosts.refusals();
  }

  /** Ends all sessions and stops listening; listeners receive the end of every session. */
  @Override
  public void close() {
    timer.shutdownNow();
    health.close();
    server.shutdown();
    Status goodbye =
        Status.UNAVAILABLE.withDescription("controller node " + config.nodeName() + " goes away");
    List.copyOf(hosts.sessions()).forEach(session -> session.end(goodbye));
    try {
      // The final statuses need a moment to be sent.
      if (!server.awaitTermination(CLOSE_WITHIN_SECONDS / 2, TimeUnit.SECONDS)) {
        server.shutdownNow().awaitTermination(CLOSE_WITHIN_SECONDS / 2, TimeUnit.SECONDS);
      }
      // What is still being sent reports to the executor, which is therefore shut down last.
      io.shutdownGracefully(0, CLOSE_WITHIN_SECONDS, TimeUnit.SECONDS);
      boss.shutdownGracefully(0, CLOSE_WITHIN_SECONDS, TimeUnit.SECONDS);
      boolean gone =
          io.awaitTermination(CLOSE_WITHIN_SECONDS, TimeUnit.SECONDS)
              && boss.awaitTermination(CLOSE_WITHIN_SECONDS, TimeUnit.SECONDS);
      executor.shutdown();
      gone &= executor.awaitTermination(CLOSE_WITHIN_SECONDS, TimeUnit.SECONDS);
      if (!gone) {
        log.warn("The agent link's threads did not end within {} s", CLOSE_WITHIN_SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void tick(long renewAfterNanos) {
    long now = System.nanoTime();
    for (HostChannel channel : hosts.channels()) {
      channel.tick(now);
    }
    for (HostSession session : hosts.sessions()) {
      try {
        session.tick(now, renewAfterNanos, GREET_WITHIN_NANOS);
      } catch (RuntimeException e) {
        // It would end the timer, and with it the leases of all hosts.
        log.error("The lease of a host was not renewed; retrying at the next interval", e);
      }
    }
  }

  private static InetSocketAddress address(AgentLinkConfig config) throws SluiceException {
    try {
      IpAddress.parse(config.bindAddress());
      return new InetSocketAddress(config.bindAddress(), config.port());
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(
          "bindAddress",
          config.bindAddress(),
          "This is not an address to listen on",
          "Use a local IP address, or 0.0.0.0 for all");
    }
  }

  private static String rootMessage(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }
}
