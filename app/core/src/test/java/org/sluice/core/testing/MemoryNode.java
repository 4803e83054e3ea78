// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.sluice.api.PortId;
import org.sluice.core.Controller;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;
import org.sluice.core.virtual.VirtualExecution;

/** A controller node on a {@link MemoryNetwork}, with a link and counters that a test drives. */
public final class MemoryNode implements Platform, PacketOut, EdgeLimits {
  /** A frame that left a port. */
  public static final class Emitted {
    public final PortId port;
    public final byte[] frame;

    Emitted(PortId port, byte[] frame) {
      this.port = port;
      this.frame = frame;
    }
  }

  public final MemoryNetwork network;
  public final String name;
  public final FakeLink link = new FakeLink();
  public final FakeCounters counters = new FakeCounters();
  public final FakeSamples samples = new FakeSamples();
  public final FakeCapMeters capMeters = new FakeCapMeters();
  public final FakeDiagnosis diagnosis = new FakeDiagnosis();
  public final List<String> refusals = new ArrayList<>();
  public final Settings settings = new Settings(refusals::add);
  public final NodeJournal journal;
  public final List<Emitted> emitted = new ArrayList<>();

  /**
   * What switches were to hold endpoints to, each time that the node requested some; the last one
   * holds.
   */
  public final List<List<EdgeLimit>> limits = new ArrayList<>();

  /** Switches that take no limits. */
  public final Set<String> refusing = new HashSet<>();

  /** What happens while a frame is on its way to its switch; it may take its time, or throw. */
  public Runnable beforeEmitting = () -> {};

  /** Opens the port for samples; {@link #samples} unless a test takes another one. */
  public SampleCollector.Factory sampleFactory = samples;

  /** What runs each of its actions. */
  public Consumer<Runnable> runner = Runnable::run;

  /** What it has of the cluster's storage. */
  public UnaryOperator<ReplicatedStorage> storageView = UnaryOperator.identity();

  /** How often the engine's loop has run. */
  public int cycles;

  /** Whether it has connections to switches; else hosts mark. */
  public boolean reachesSwitches = true;

  private final MemoryCluster.Member member;
  private final NodeTime time;
  private final Map<String, Object> properties = new HashMap<>();
  private Controller controller;

  public MemoryNode(MemoryNetwork network, String name) {
    this.network = network;
    this.name = name;
    member = network.cluster.join(name);
    time = new NodeTime(network.time, member::isAlive, action -> runner.accept(action));
    journal = new NodeJournal(time);
  }

  /** Its clock on the wall differs from everybody else's. */
  public MemoryNode setClockAheadMillis(long millis) {
    time.setAheadMillis(millis);
    return this;
  }

  /** An operator sets settings: names and values in turn. */
  public MemoryNode set(Object... namesAndValues) {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
    }
    settings.read(properties::get);
    return this;
  }

  /** Starts the whole controller; its agent link is {@link #link}, and open after a moment. */
  public MemoryNode start() {
    set(
        "agentLinkKey", KeyFiles.any(),
        "agentLinkCertificate", KeyFiles.any(),
        "agentLinkTrust", KeyFiles.any());
    // The steady time is as far ahead as this node's clock now, wherever that is set later.
    long aheadMillis = time.wallMillis() - network.time.wallMillis();
    controller =
        new Controller(
            this,
            settings,
            journal,
            new VirtualExecution(time) {
              @Override
              public Loop loop(String loop, Cycle cycle) {
                return super.loop(
                    loop,
                    nowNanos -> {
                      cycles++;
                      return cycle.run(nowNanos);
                    });
              }
            },
            () -> network.time.wallMillis() + aheadMillis,
            parameters -> link,
            counters,
            sampleFactory);
    controller.start();
    network.time.advanceMillis(1);
    return this;
  }

  public Controller controller() {
    return controller;
  }

  public void stop() {
    controller.stop();
  }

  /** Its machine fails, without a word. */
  public void die() {
    member.die();
    link.fail();
  }

  @Override
  public ClusterNodes nodes() {
    return member;
  }

  @Override
  public String applicationVersion() {
    return "1.2.3";
  }

  @Override
  public Switches switches() {
    return network;
  }

  @Override
  public boolean reachesSwitches() {
    return reachesSwitches;
  }

  @Override
  public boolean receiversMark() {
    return !reachesSwitches;
  }

  @Override
  public Topology topology() {
    return network;
  }

  @Override
  public Attachments attachments() {
    return network;
  }

  @Override
  public HostSightings hostSightings() {
    return network;
  }

  @Override
  public ForwardingState forwarding() {
    return network;
  }

  @Override
  public EdgeLimits edgeLimits() {
    return this;
  }

  @Override
  public CapMeters capMeters() {
    return capMeters;
  }

  @Override
  public Mastership mastership() {
    return member;
  }

  @Override
  public Leadership leadership() {
    return member;
  }

  @Override
  public ReplicatedStorage storage() {
    return storageView.apply(member);
  }

  @Override
  public PacketOut packetOut() {
    return this;
  }

  @Override
  public PlatformCounters counters() {
    return counters;
  }

  @Override
  public OperatorConfiguration configuration() {
    return network;
  }

  @Override
  public PlatformDiagnosis diagnosis() {
    return diagnosis;
  }

  @Override
  public void limit(Collection<EdgeLimit> all) {
    limits.add(List.copyOf(all));
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return refusing.contains(datapath);
  }

  @Override
  public void emit(PortId port, byte[] frame) {
    beforeEmitting.run();
    emitted.add(new Emitted(port, frame));
  }
}
