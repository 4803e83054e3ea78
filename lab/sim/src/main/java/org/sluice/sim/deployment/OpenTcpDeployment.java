// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.policy.TcpHint;
import org.sluice.engine.opentcp.HintSink;
import org.sluice.engine.opentcp.Oracle;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Node;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.PortCounters;
import org.sluice.sim.network.PortObserver;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.transport.CongestionControls;
import org.sluice.sim.transport.RouteMetrics;
import org.sluice.sim.transport.RouteTable;

/**
 * OpenTCP on a network: every cycle the engine's oracle is given all switches' counters, every
 * matrix period what hosts have sent to each rack, and hints reach hosts' routes by their control
 * channels. Hosts in a rack are a group.
 */
public final class OpenTcpDeployment implements ControlTraffic {
  private static final double MILLI = 1e6;
  private static final double BITS_NANOS_PER_KILOBIT = 8e6;
  private static final Map<String, CongestionControls> CONGESTION_CONTROLS =
      Map.of(
          "reno", CongestionControls.NEW_RENO,
          "cubic", CongestionControls.CUBIC,
          "dctcp", CongestionControls.DCTCP,
          "bbr", CongestionControls.BBR_V1);

  private final Network network;
  private final OpenTcpSettings settings;
  private final ChannelParameters channel;
  private final ControlChannels channels;
  private final RouteTable routes;
  private final RackFabric racks;
  private final Oracle oracle;
  private final Map<Host, ControlChannel> down = new HashMap<>();
  private final Map<Host, Sender> senders = new LinkedHashMap<>();
  private long cycles;
  private long nextMatrixNanos;
  private long readNanos;

  private int hintedHosts;
  private long hintedSinceNanos;
  private long hostNanos;
  private long messages;
  private long collected;
  private long hintBytes;
  private long mostRowBytes;
  private long slowestRestoreNanos;
  private long appliedRtoMinNanos;

  private OpenTcpDeployment(
      Network network, OpenTcpSettings settings, ChannelParameters channel, RouteTable routes) {
    this.network = network;
    this.settings = settings;
    this.channel = channel;
    this.channels = new ControlChannels(network, channel);
    this.routes = routes;
    racks = new RackFabric(network);
    oracle = new Oracle(racks.fabric(), this::hint);
    oracle.apply(settings.policies());
    for (int rack = 0; rack < racks.hosts().size(); rack++) {
      for (Host host : racks.hosts().get(rack)) {
        down.put(host, channels.open("opentcp hints " + host.name()));
        senders.put(host, new Sender(rack, host));
      }
    }
    nextMatrixNanos = settings.matrixNanos();
    network.scheduler().armIn(new Cycle(), settings.cycleNanos());
    readCounters(0);
  }

  /**
   * Puts an oracle over a network that is complete, and without traffic.
   *
   * @param routes what hints change; flows must use it
   */
  public static OpenTcpDeployment install(
      Network network, OpenTcpSettings settings, ChannelParameters channel, RouteTable routes) {
    return new OpenTcpDeployment(network, settings, channel, routes);
  }

  private void readCounters(long now) {
    List<Port> links = racks.links();
    for (int link = 0; link < links.size(); link++) {
      PortCounters counters = links.get(link).counters();
      oracle
          .readings()
          .read(link, counters.sentBytes(), counters.sentPackets(), counters.droppedPackets(), now);
    }
    readNanos = now;
    collected += 2L * network.switches().size();
  }

  private void readMatrix(long now) {
    if (now < nextMatrixNanos) {
      return;
    }
    nextMatrixNanos = now + settings.matrixNanos();
    for (Sender sender : senders.values()) {
      mostRowBytes = Math.max(mostRowBytes, OracleTraffic.row(sender.bytes));
      sender.report();
    }
    collected += senders.size();
    oracle.matrix().roll();
  }

  /** The oracle has decided otherwise about a rack's hosts. */
  private void hint(int source, int destination, TcpHint hint) {
    List<List<Host>> hosts = racks.hosts();
    int prefixes = destination == HintSink.EVERY ? 0 : 1;
    for (Host host : hosts.get(source)) {
      messages++;
      hintBytes += OracleTraffic.hint(hint, prefixes);
      long decidedOn = readNanos;
      down.get(host).send(() -> apply(host, source, destination, hint, decidedOn));
    }
  }

  private void apply(Host host, int source, int destination, TcpHint hint, long decidedOn) {
    long now = network.scheduler().now();
    RouteMetrics metrics = metrics(hint);
    if (destination != HintSink.EVERY) {
      for (Host to : racks.hosts().get(destination)) {
        routes.set(host, to, hint.isEmpty() ? null : metrics);
      }
    } else {
      hostNanos += hintedHosts * (now - hintedSinceNanos);
      hintedSinceNanos = now;
      Sender sender = senders.get(host);
      hintedHosts += (hint.isEmpty() ? 0 : 1) - (sender.isHinted ? 1 : 0);
      sender.isHinted = !hint.isEmpty();
      routes.setDefault(host, metrics);
    }
    appliedRtoMinNanos = Math.max(appliedRtoMinNanos, metrics.rtoMinNanos());
    if (hint.isEmpty()) {
      slowestRestoreNanos = Math.max(slowestRestoreNanos, now - decidedOn);
    }
  }

  private RouteMetrics metrics(TcpHint hint) {
    return new RouteMetrics(
        hint.initialWindowSegments(),
        applied(hint.rtoMinNanos()),
        CONGESTION_CONTROLS.get(hint.congestionControl()),
        hint.pacingBitsPerSecond());
  }

  /** A kernel counts in ticks: 2 ms at 250 Hz are 4. */
  private long applied(long rtoMinNanos) {
    long tick = settings.tickNanos();
    return tick == 0 ? rtoMinNanos : (rtoMinNanos + tick - 1) / tick * tick;
  }

  /** Counters requested and answered, rows of the matrix, and hints. */
  @Override
  public long controllerMessages() {
    return collected + channels.sent();
  }

  @Override
  public long hostMessages() {
    return 0;
  }

  /** Decided about so far. */
  public long cycles() {
    return cycles;
  }

  /** Changes of what a rack's hosts are hinted. */
  public long changes() {
    return oracle.changes();
  }

  /** Hints that were sent to hosts. */
  public long messages() {
    return messages;
  }

  /** Of all hosts' time, the part with a hint about all that they send. */
  public double hintedPart() {
    long now = network.scheduler().now();
    double sum = hostNanos + (double) hintedHosts * (now - hintedSinceNanos);
    return now == 0 ? 0 : sum / ((double) now * senders.size());
  }

  /** From the reading of the counters to the last host's own parameters, the longest, ms. */
  public double slowestRestoreMillis() {
    return slowestRestoreNanos / MILLI;
  }

  /** What hosts made of the hinted RTO_min, the greatest, ms; 0 without one. */
  public double appliedRtoMinMillis() {
    return appliedRtoMinNanos / MILLI;
  }

  /**
   * What collecting costs at a cycle, kbit/s: every port of every switch, and of every host as long
   * a row as the longest that was reported here.
   */
  public double collectionKilobits(long cycleNanos) {
    long counters = 0;
    Map<Node, Integer> ports = new HashMap<>();
    for (Port link : racks.links()) {
      ports.merge(link.owner(), 1, Integer::sum);
    }
    for (int count : ports.values()) {
      counters += OracleTraffic.counters(count);
    }
    long matrixNanos = Math.max(cycleNanos, OpenTcpSettings.MATRIX_NANOS);
    double rows = (double) fullRow() * senders.size() / matrixNanos;
    return ((double) counters / cycleNanos + rows) * BITS_NANOS_PER_KILOBIT;
  }

  /** A host that has sent 100 MB to every rack, or the longest row that there was. */
  private long fullRow() {
    long[] full = new long[racks.hosts().size()];
    Arrays.fill(full, 100_000_000L);
    return Math.max(mostRowBytes, OracleTraffic.row(full));
  }

  /** What hints would cost if all hosts got another in every cycle, kbit/s. */
  public double mostHintKilobits(long cycleNanos) {
    TcpHint hint = settings.policies().policies().get(0).hint();
    double bytes = (double) OracleTraffic.hint(hint, 0) * senders.size();
    return bytes / cycleNanos * BITS_NANOS_PER_KILOBIT;
  }

  /** What hints took here, were a cycle as long as that, kbit/s. */
  public double hintKilobits(long cycleNanos) {
    return cycles == 0 ? 0 : (double) hintBytes / cycles / cycleNanos * BITS_NANOS_PER_KILOBIT;
  }

  /** Counts what a host sends to each rack, as its agent does. */
  private final class Sender implements PortObserver {
    private final int rack;
    private final long[] bytes;
    private boolean isHinted;

    Sender(int rack, Host host) {
      this.rack = rack;
      bytes = new long[racks.hosts().size()];
      host.nic().setObserver(this);
    }

    @Override
    public void departed(Packet packet, long nowNanos) {
      bytes[racks.rackOf(packet.destination)] += packet.ipBytes;
    }

    void report() {
      for (int to = 0; to < bytes.length; to++) {
        oracle.matrix().add(rack, to, bytes[to]);
        bytes[to] = 0;
      }
    }
  }

  /** Counters are read at once; answers take a round trip. */
  private final class Cycle extends Event {
    @Override
    protected void fire() {
      long now = network.scheduler().now();
      readCounters(now);
      readMatrix(now);
      network.scheduler().armIn(new Decision(), 2 * channel.delayNanos());
      network.scheduler().armIn(this, settings.cycleNanos());
    }
  }

  private final class Decision extends Event {
    @Override
    protected void fire() {
      cycles++;
      oracle.cycle();
    }
  }
}
