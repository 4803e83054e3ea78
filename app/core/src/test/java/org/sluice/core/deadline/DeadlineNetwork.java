// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.link.WindowGrant;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;
import org.sluice.core.testing.VirtualTime;

/**
 * Two switches with 50 Mbit/s between them, hosts h1 to h4 at the one and h5 at the other, all of
 * tenant red. Node n1 leads and is the master of both switches; further nodes can join. What hosts
 * and port agents report reaches every node. Of no other port is it known what it carries: none but
 * the bottleneck, and the detour once there is one, bounds a flow.
 */
final class DeadlineNetwork {
  static final PortId BOTTLENECK = port("s1/5");

  /** Where the path around the bottleneck begins, once there is one: a fifth of what it carries. */
  static final PortId DETOUR = port("s1/6");

  static final TenantId RED = TenantId.of("red");
  static final HostId H1 = HostId.of("h1");
  static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  static final IpAddress IP2 = IpAddress.parse("10.0.0.2");
  static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  static final long MILLI = 1_000_000;
  static final long PERIOD_MILLIS = 5;

  /** What takes longer than this in virtual time does not happen at all. */
  private static final long PATIENCE_MILLIS = 20_000;

  private static final long BITS_PER_SECOND = 50_000_000;
  private static final long DETOUR_BITS_PER_SECOND = 10_000_000;

  private static final List<String> OTHER_PORTS =
      List.of("s1/1", "s1/2", "s1/3", "s1/4", "s2/1", "s2/2", "s2/5", "s2/6");

  final MemoryNetwork network =
      new MemoryNetwork()
          .connect("s1", 1, 2, 3, 4, 5, 6)
          .connect("s2", 1, 2, 5, 6)
          .link("s1/5", "s2/5");
  final VirtualTime time = network.time;
  final MemoryNode node;
  final FlowAdminService flows;
  private final List<MemoryNode> nodes = new ArrayList<>();
  private final Map<HostId, HostHello> hosts = new LinkedHashMap<>();

  DeadlineNetwork() {
    for (String other : OTHER_PORTS) {
      network.setSpeed(other, 0);
    }
    network.setCapacity("s1/5", BITS_PER_SECOND);
    network.setCapacity("s1/6", DETOUR_BITS_PER_SECOND);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    network.setTenants(red());
    for (int i = 1; i <= 4; i++) {
      host("h" + i, i, "s1/" + i);
    }
    host("h5", 5, "s2/1");
    node = join("n1");
    flows = node.controller().flows();
  }

  private static Tenant red() {
    try {
      return Tenant.builder(RED)
          .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.0/24"))))
          .build();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private void host(String name, int number, String port) {
    String mac = "02:00:00:00:01:0" + number;
    String ip = "10.0.0." + number;
    network.seen(mac, port, ip);
    connect(name, endpoint(name + "/vm0", mac, ip));
  }

  private void connect(String name, ReportedEndpoint... endpoints) {
    HostHello hello = hello(name, endpoints);
    hosts.put(hello.host(), hello);
    nodes.forEach(each -> each.link.connect(hello));
  }

  /** Another controller node starts; every host connects to it. */
  MemoryNode join(String name) {
    MemoryNode joined = new MemoryNode(network, name).start();
    nodes.add(joined);
    hosts.values().forEach(joined.link::connect);
    time.advanceMillis(2 * PERIOD_MILLIS);
    return joined;
  }

  /** A controller node dies. */
  void stop(MemoryNode dead) {
    nodes.remove(dead);
    dead.stop();
  }

  /** There is a longer path around the bottleneck, by a third switch. */
  void openDetour() {
    network.connect("s3", 1, 2).link("s1/6", "s3/1").link("s3/2", "s2/6");
    network.setSpeed("s3/1", 0);
    network.setSpeed("s3/2", 0);
  }

  /** The bottleneck's cable is torn out. */
  void cutBottleneck() {
    network.cut("s1/5", "s2/5");
  }

  /** The endpoint of h1 goes to another host, beside h5. */
  void moveFirstEndpoint(HostId host) {
    connect(H1.name());
    host(host.name(), 1, "s2/2");
  }

  void lead(String nodeName) {
    network.elect(Topics.CLUSTER, nodeName);
  }

  // ------------------------------------------------------------ registrations

  /** A flow of h1 to h5, at port 5001 there. */
  static FlowKey flow(int sourcePort) {
    return FlowKey.of(IP1, sourcePort, IP5, 5001);
  }

  static DeadlineRequest request(FlowKey key, long bytes, long dueMillis) {
    return DeadlineRequest.of(key, bytes, dueMillis * MILLI, false);
  }

  static DeadlineRequest forced(FlowKey key, long bytes, long dueMillis) {
    return DeadlineRequest.of(key, bytes, dueMillis * MILLI, true);
  }

  FlowDecision register(FlowKey key, long bytes, long dueMillis) throws SluiceException {
    return flows.register(request(key, bytes, dueMillis));
  }

  /** One that is registered and whose connection has begun. */
  FlowStatus begin(FlowKey key, long bytes, long dueMillis) throws SluiceException {
    FlowStatus made = register(key, bytes, dueMillis).flow().orElseThrow();
    report(key, FlowUpdate.State.OPENED, 0);
    awaitState(made.id(), FlowState.SENDING);
    return made;
  }

  /** Many at once; returns when all are decided. */
  List<FlowDecision> registerAll(List<DeadlineRequest> requests) {
    List<CompletableFuture<FlowDecision>> answers =
        requests.stream().map(flows::registerLater).collect(Collectors.toList());
    until(() -> answers.stream().allMatch(CompletableFuture::isDone));
    return answers.stream().map(CompletableFuture::join).collect(Collectors.toList());
  }

  /** The store of registrations, as another node opens it. */
  FlowStore store() {
    return new FlowStore(network.storage, time, new IgnoredChanges());
  }

  /** What a node that starts now would find. */
  List<StoredFlow> storedFlows() {
    return store().flows();
  }

  FlowStatus status(long id) {
    return status(node, id);
  }

  static FlowStatus status(MemoryNode at, long id) {
    return find(at, id).orElseThrow();
  }

  static Optional<FlowStatus> find(MemoryNode at, long id) {
    try {
      return at.controller().flows().flow(id);
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  List<JournalEntry> journal(JournalEntry.Kind kind) {
    return journal(node, kind);
  }

  /** The oldest first. */
  static List<JournalEntry> journal(MemoryNode of, JournalEntry.Kind kind) {
    List<JournalEntry> found = new ArrayList<>();
    for (JournalEntry entry : of.journal.entries(-1, Optional.empty(), 1000)) {
      if (entry.kind() == kind) {
        found.add(0, entry);
      }
    }
    return found;
  }

  // ------------------------------------------------------------ reports

  void report(FlowKey flow, FlowUpdate.State state, long deliveredBytes) {
    report(false, FlowUpdate.of(flow, state, deliveredBytes, 400_000, false));
  }

  /** Host h1 reports flows. */
  void report(boolean complete, FlowUpdate... updates) {
    report(
        UplinkMessage.ofFlowReport(
            FlowReport.of(H1, time.nanoTime(), complete, Arrays.asList(updates))));
  }

  void report(UplinkMessage message) {
    nodes.forEach(each -> each.link.report(message));
  }

  /** A port's agent reports a queue of so many bytes. */
  void queue(PortId port, long bytes) {
    report(PortQueueSample.of(port, 1, 1500, 0, 0, 0, bytes / 1500, bytes));
  }

  /** A port's agent reports that nothing passes, and what its queue has space for. */
  void idleQueue(PortId port, int bufferPackets) {
    PortQueueSample idle = PortQueueSample.of(port, 0, 0, 0, 0, 0, 0, 0);
    report(idle.with(bufferPackets, List.of(), List.of()));
  }

  private void report(PortQueueSample queue) {
    report(
        UplinkMessage.ofPortQueues(
            PortQueueObservation.of(
                HostId.of("p1"), time.nanoTime(), PERIOD_MILLIS * MILLI, List.of(queue))));
  }

  // ------------------------------------------------------------ time

  /** Lets every node take in and decide what there is. */
  void settle() {
    time.advanceMillis(2 * PERIOD_MILLIS);
  }

  void until(BooleanSupplier condition) {
    time.until(condition, PATIENCE_MILLIS);
  }

  void awaitState(long id, FlowState state) {
    awaitState(node, id, state);
  }

  void awaitState(MemoryNode at, long id, FlowState state) {
    until(() -> find(at, id).filter(flow -> flow.state() == state).isPresent());
  }

  /** Has a queue be long in every control period until something holds. */
  void queueUntil(PortId port, BooleanSupplier condition) {
    long end = time.nanoTime() + PATIENCE_MILLIS * MILLI;
    while (!condition.getAsBoolean()) {
      assertThat(time.nanoTime()).as("it never holds").isLessThan(end);
      queue(port, 15_000);
      time.advanceMillis(PERIOD_MILLIS);
    }
  }

  /** Has the bottleneck's queue be long until a flow has a window of its own. */
  void awaitGrant(FlowKey flow) {
    queueUntil(BOTTLENECK, () -> hasWindow(flow));
  }

  // ------------------------------------------------------------ what hosts received

  /** All grants that a host received. */
  List<WindowGrant> grants(HostId host) {
    return grants(node, host);
  }

  static List<WindowGrant> grants(MemoryNode from, HostId host) {
    return from.link.listedTo(host, Kind.WINDOW_GRANTS, DownlinkMessage::windowGrants);
  }

  List<WindowGrant> grantsOf(FlowKey flow) {
    return grantsOf(node, flow);
  }

  static List<WindowGrant> grantsOf(MemoryNode from, FlowKey flow) {
    return grants(from, H1).stream()
        .filter(grant -> grant.flow().equals(flow))
        .collect(Collectors.toList());
  }

  WindowGrant lastGrantOf(FlowKey flow) {
    List<WindowGrant> all = grantsOf(flow);
    assertThat(all).isNotEmpty();
    return all.get(all.size() - 1);
  }

  /** Whether the last grant of a flow is a window. */
  boolean hasWindow(FlowKey flow) {
    List<WindowGrant> all = grantsOf(flow);
    return !all.isEmpty() && !all.get(all.size() - 1).isReleased();
  }

  /** Whether a flow was granted something and the last of it is that it is released. */
  boolean isReleased(FlowKey flow) {
    return !grantsOf(flow).isEmpty() && !hasWindow(flow);
  }

  /** Whether h1 was last sent the setting to report its flows. */
  boolean areFlowsReported() {
    List<HostSettings> sent = node.link.sentTo(H1, Kind.SETTINGS, DownlinkMessage::settings);
    return sent.get(sent.size() - 1).reportFlows();
  }

  /** For a store that is only read. */
  static final class IgnoredChanges implements FlowStore.Listener {
    @Override
    public void stored(StoredFlow flow) {}

    @Override
    public void removed(StoredFlow flow) {}
  }
}
