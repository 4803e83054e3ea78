// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.endpoint;
import static org.sluice.onos.testing.Samples.hello;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.onosproject.cluster.NodeId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.FlowWish;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.WindowGrant;
import org.sluice.onos.counters.CounterFeed;
import org.sluice.onos.loop.EngineRunner;
import org.sluice.onos.registry.RegistryFixture;
import org.sluice.onos.setting.Duties;
import org.sluice.onos.testing.FakeLeadership;
import org.sluice.onos.testing.OneTenant;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/**
 * Two switches with 50 Mbit/s between them, hosts h1 to h4 at the one and h5 at the other, the
 * engine in its thread, and what hosts would say.
 */
final class DeadlineWorld implements AutoCloseable {
  static final PortId BOTTLENECK = PortId.parse("of:0000000000000001/5");

  /** Where the way around the bottleneck begins, once there is one: a fifth of what it carries. */
  static final PortId DETOUR = PortId.parse("of:0000000000000001/6");

  static final HostId H1 = HostId.of("h1");
  static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  static final IpAddress IP2 = IpAddress.parse("10.0.0.2");
  static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  static final long MILLI = 1_000_000;
  private static final long BITS_PER_SECOND = 50_000_000;
  private static final long DETOUR_BITS_PER_SECOND = 10_000_000;

  final OnosWorld world = new OnosWorld();
  final SluiceNode node = new SluiceNode(world);
  final FakeLeadership leadership = new FakeLeadership();
  final FlowManager flows;

  DeadlineWorld() {
    world.switches.connect("s1", 1, 2, 3, 4, 5, 6);
    world.switches.connect("s2", 1, 2, 5, 6);
    world.switches.link("s1/5", "s2/5");
    node.start();
    node.provide(
        RegistryFixture.capacities(
            Map.of(BOTTLENECK, BITS_PER_SECOND, DETOUR, DETOUR_BITS_PER_SECOND)));
    node.provide(new OneTenant("red"));
    node.provide(new SilentSwitches());
    node.provide(leadership);
    leadership.elect(Duties.POLICY, OnosWorld.LOCAL);
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
    until(() -> assertThat(node.forwarding.own()).isTrue());
    flows = node.add(new FlowManager());
    node.add(new EngineRunner());
    for (int i = 1; i <= 4; i++) {
      host(i, "s1/" + i);
    }
    host(5, "s2/1");
  }

  private void host(int number, String port) {
    host("h" + number, number, port);
  }

  private void host(String name, int number, String port) {
    String mac = "02:00:00:00:01:0" + number;
    String ip = "10.0.0." + number;
    world.hosts.seen(mac, port, ip);
    node.link.connect(hello(name, endpoint(name + "/vm0", mac, ip)));
  }

  /** There is a longer way around the bottleneck, by a third switch. */
  void openDetour() {
    world.switches.connect("s3", 1, 2);
    world.switches.link("s1/6", "s3/1");
    world.switches.link("s3/2", "s2/6");
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(6));
  }

  /** The bottleneck's cable is torn out. */
  void cutBottleneck() {
    world.switches.cut("s1/5", "s2/5");
  }

  /** The endpoint of h1 goes to another host, beside h5. */
  void moveFirstEndpoint(HostId host) {
    node.link.connect(hello(H1.name()));
    host(host.name(), 1, "s2/2");
  }

  /** A flow of h1 to h5, at port 5001 there. */
  static FlowKey flow(int sourcePort) {
    return FlowKey.of(IP1, sourcePort, IP5, 5001);
  }

  FlowDecision register(FlowKey key, long bytes, long dueMillis) throws SluiceException {
    return flows.register(FlowWish.of(key, bytes, dueMillis * MILLI, false));
  }

  /** One that is registered and whose connection has begun. */
  FlowStatus begin(FlowKey key, long bytes, long dueMillis) throws SluiceException {
    FlowStatus made = register(key, bytes, dueMillis).flow().orElseThrow();
    tell(key, FlowNews.State.OPENED, 0);
    awaitState(made.id(), FlowState.SENDING);
    return made;
  }

  void tell(FlowKey flow, FlowNews.State state, long deliveredBytes) {
    flows
        .hosts()
        .flowsReported(report(false, FlowNews.of(flow, state, deliveredBytes, 400_000, false)));
  }

  static FlowReport report(boolean complete, FlowNews... news) {
    return FlowReport.of(H1, System.nanoTime(), complete, List.of(news));
  }

  /** The queue of the bottleneck is told to be so long. */
  void queue(long bytes) {
    queue(BOTTLENECK, bytes);
  }

  void queue(PortId port, long bytes) {
    flows
        .hosts()
        .portQueuesObserved(
            PortQueueObservation.of(
                HostId.of("p1"),
                System.nanoTime(),
                5 * MILLI,
                List.of(PortQueueSample.of(port, 1, 1500, 0, 0, 0, bytes / 1500, bytes))));
  }

  /** What a node that starts now would find. */
  List<StoredFlow> storedFlows() {
    return new FlowStore(world.storage, new NobodyListens()).flows();
  }

  FlowStatus status(long id) {
    try {
      return flows.flow(id).orElseThrow();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  void awaitState(long id, FlowState state) {
    until(() -> assertThat(status(id).state()).isEqualTo(state));
  }

  /** Has the bottleneck's queue be long until a flow has a window of its own. */
  void awaitGrant(FlowKey flow) {
    until(
        () -> {
          queue(15_000);
          assertThat(lastGrantOf(flow).isReleased()).isFalse();
        });
  }

  /** All grants that a host was told. */
  List<WindowGrant> grants(HostId host) {
    return node.link.listedTo(host, Kind.WINDOW_GRANTS, DownlinkMessage::windowGrants);
  }

  /** The last of a flow. */
  List<WindowGrant> grantsOf(FlowKey flow) {
    return grants(H1).stream()
        .filter(grant -> grant.flow().equals(flow))
        .collect(Collectors.toList());
  }

  WindowGrant lastGrantOf(FlowKey flow) {
    List<WindowGrant> all = grantsOf(flow);
    assertThat(all).isNotEmpty();
    return all.get(all.size() - 1);
  }

  @Override
  public void close() {
    node.stop();
    world.close();
  }

  void lead(String nodeId) {
    leadership.elect(Duties.POLICY, new NodeId(nodeId));
  }

  /** For a store that is only read. */
  static final class NobodyListens implements FlowStore.Listener {
    @Override
    public void stored(StoredFlow flow) {}

    @Override
    public void removed(StoredFlow flow) {}
  }

  private static final class SilentSwitches implements CounterFeed {
    @Override
    public void addListener(CounterListener listener) {}

    @Override
    public void removeListener(CounterListener listener) {}

    @Override
    public Map<String, Map<Long, Long>> markMeters() {
      return Map.of();
    }
  }
}
