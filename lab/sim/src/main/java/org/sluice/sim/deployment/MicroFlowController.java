// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.law.MicroFlowParameters.Caps;
import org.sluice.engine.micro.CapDraft;
import org.sluice.engine.micro.CapSink;
import org.sluice.engine.micro.MicroFlowControl;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Node;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.queue.MicroFlowQueues;
import org.sluice.sim.shim.host.Addresses;

/**
 * The engine's Micro-flow behind control channels: it receives what flows send, evaluates micro
 * queues when the law says so, and sends caps and rules for background flows to switches.
 */
final class MicroFlowController implements CapSink {
  private static final int NO_FEEDER = -1;

  private final Network network;
  private final ControlChannels channels;
  private final Addresses addresses;
  private final MicroFlowControl control;
  private final Map<Port, MicroFlowQueues> queues;
  private final LongIntMap rules;
  private final ControlChannel ruleChannel;
  private final Map<PortId, Port> portsByName = new HashMap<>();
  private final Map<Node, ControlChannel> down = new HashMap<>();
  private final Map<Node, ControlChannel> up = new HashMap<>();

  /** By upstream port: feeders by the number of the downstream port. */
  private final Map<Port, int[]> feeders = new HashMap<>();

  private final LevelSink levelSink;
  private long caps;

  /** Takes new levels to hosts. */
  interface LevelSink {
    void levels(long[] thresholdsBytes);
  }

  /**
   * @param queues of all ports that have Micro-flow's
   * @param rules filled with the keys of background flows, as switches know them
   * @param levelSink takes new levels to hosts
   */
  MicroFlowController(
      Network network,
      Addresses addresses,
      MicroFlowSettings settings,
      ControlChannels channels,
      Map<Port, MicroFlowQueues> queues,
      LongIntMap rules,
      LevelSink levelSink) {
    this.levelSink = levelSink;
    this.network = network;
    this.channels = channels;
    this.addresses = addresses;
    this.queues = queues;
    this.rules = rules;
    this.ruleChannel = channels.open("micro-flow rules");
    this.control = new MicroFlowControl(settings.law(), this);
    queues.keySet().forEach(port -> portsByName.put(id(port), port));
  }

  private static PortId id(Port port) {
    return PortId.of(port.owner().name(), port.index());
  }

  /**
   * Begins to tune levels, and, if so set, to evaluate queues and to cap.
   *
   * @param tickNanos how often caps are looked through for those that end
   */
  void begin(MicroFlowSettings settings, long tickNanos) {
    SplittableRandom random = network.random().stream("micro-flow probes");
    network.scheduler().armIn(new Tick(tickNanos), tickNanos);
    if (settings.caps() == Caps.NONE) {
      return;
    }
    for (Switch owner : network.switches()) {
      for (Port port : owner.ports()) {
        Probe probe = new Probe(port, owner, settings.buffer());
        long phase = random.nextLong(settings.longestIntervalNanos());
        network.scheduler().armIn(probe, phase);
      }
    }
  }

  /** A host's agent reports large flows, and which have ended. */
  void take(List<SentFlows.Report> sending, List<SentFlows.Report> ended) {
    long now = network.scheduler().now();
    for (SentFlows.Report report : sending) {
      control.observeFlow(flow(report), report.bytes(), path(report), now);
    }
    ended.forEach(report -> control.ended(flow(report), report.bytes()));
  }

  private FlowKey flow(SentFlows.Report report) {
    return FlowKey.of(
        addresses.ip(report.source()),
        report.sourcePort(),
        addresses.ip(report.destination()),
        report.destinationPort());
  }

  /** The feeders on a flow's way. */
  private int[] path(SentFlows.Report report) {
    IntList path = new IntList();
    Port at = network.endpoint(report.source()).host().nic();
    while (at != null && at.peer() instanceof Switch next) {
      Port beyond = next.egress(report.destination(), report.flowHash());
      int[] here = feeders.get(at);
      if (here != null && beyond != null && here[beyond.index()] != NO_FEEDER) {
        path.add(here[beyond.index()]);
      }
      at = beyond;
    }
    int[] numbers = new int[path.size()];
    Arrays.setAll(numbers, path::get);
    return numbers;
  }

  @Override
  public void cap(CapDraft cap) {
    caps++;
    int queue = (int) cap.downstream().number();
    long bitsPerSecond = cap.bitsPerSecond();
    change(cap.upstream(), found -> found.cap(queue, bitsPerSecond));
  }

  @Override
  public void restored(PortId upstream, PortId downstream) {
    change(upstream, found -> found.restore((int) downstream.number()));
  }

  private void change(PortId upstream, Consumer<MicroFlowQueues> change) {
    Port port = portsByName.get(upstream);
    channel(down, "micro-flow down ", port.owner())
        .send(
            () -> {
              change.accept(queues.get(port));
              port.wake();
            });
  }

  @Override
  public void background(FlowKey flow) {
    long key = key(flow);
    ruleChannel.send(() -> rules.put(key, 0));
  }

  @Override
  public void forgotten(FlowKey flow) {
    long key = key(flow);
    ruleChannel.send(() -> rules.remove(key));
  }

  @Override
  public void levels(long[] thresholdsBytes, long flows) {
    levelSink.levels(thresholdsBytes);
  }

  private long key(FlowKey flow) {
    return SentFlows.key(
        addresses.endpoint(flow.source()).number(),
        flow.sourcePort(),
        addresses.endpoint(flow.destination()).number(),
        flow.destinationPort());
  }

  private ControlChannel channel(Map<Node, ControlChannel> opened, String name, Node node) {
    return opened.computeIfAbsent(node, none -> channels.open(name + node.name()));
  }

  /** How often a micro queue was seen at TH or above. */
  long hits() {
    return control.hits();
  }

  /** Caps that were set or renewed. */
  long caps() {
    return caps;
  }

  /** Background flows in the table. */
  int backgroundFlows() {
    return control.backgroundFlows();
  }

  /** Evaluates one micro queue and the background queues upstream that feed its port. */
  private final class Probe extends Event {
    private final int number;
    private final Port port;
    private final List<Port> upstream = new ArrayList<>();
    private final int[] numbers;

    Probe(Port port, Switch owner, int bufferPackets) {
      this.port = port;
      this.number =
          control.addPort(id(port), port.rateBitsPerSecond(), bufferPackets, owner.ports().size());
      for (Port other : owner.ports()) {
        Port feeding = other.opposite();
        if (other != port && queues.containsKey(feeding)) {
          upstream.add(feeding);
        }
      }
      numbers = new int[upstream.size()];
      for (int i = 0; i < numbers.length; i++) {
        Port feeding = upstream.get(i);
        numbers[i] =
            control.addFeeder(number, id(feeding), feeding.rateBitsPerSecond(), bufferPackets);
        int[] ofPort =
            feeders.computeIfAbsent(
                feeding,
                none -> {
                  int[] all = new int[owner.ports().size()];
                  Arrays.fill(all, NO_FEEDER);
                  return all;
                });
        ofPort[port.index()] = numbers[i];
      }
    }

    @Override
    protected void fire() {
      channel(down, "micro-flow down ", port.owner()).send(this::update);
    }

    /** The switch answers. */
    private void update() {
      int waiting = queues.get(port).microPackets();
      long sent = queues.get(port).microSentBytes();
      int[] background = new int[numbers.length];
      for (int i = 0; i < background.length; i++) {
        background[i] = queues.get(upstream.get(i)).backgroundPackets(port.index());
      }
      channel(up, "micro-flow up ", port.owner()).send(() -> take(waiting, sent, background));
    }

    private void take(int waiting, long sentBytes, int[] background) {
      for (int i = 0; i < background.length; i++) {
        control.observeFeeder(numbers[i], background[i]);
      }
      control.observePort(number, waiting, sentBytes, network.scheduler().now());
      network.scheduler().arm(this, control.nextProbeNanos(number));
    }
  }

  private final class Tick extends Event {
    private final long periodNanos;

    Tick(long periodNanos) {
      this.periodNanos = periodNanos;
    }

    @Override
    protected void fire() {
      control.tick(network.scheduler().now());
      network.scheduler().armIn(this, periodNanos);
    }
  }
}
