// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.onlab.metrics.MetricsManager;
import org.onosproject.cfg.ComponentConfigAdapter;
import org.onosproject.cluster.ClusterServiceAdapter;
import org.onosproject.cluster.ControllerNode;
import org.onosproject.cluster.DefaultControllerNode;
import org.onosproject.cluster.NodeId;
import org.onosproject.cluster.impl.MastershipManager;
import org.onosproject.common.event.impl.TestEventDispatcher;
import org.onosproject.core.Version;
import org.onosproject.core.VersionServiceAdapter;
import org.onosproject.mastership.MastershipAdminService;
import org.onosproject.net.AbstractProjectableModel;
import org.onosproject.net.DeviceId;
import org.onosproject.net.MastershipRole;
import org.onosproject.net.config.NetworkConfigRegistry;
import org.onosproject.net.device.impl.DeviceManager;
import org.onosproject.net.driver.DefaultDriver;
import org.onosproject.net.driver.Driver;
import org.onosproject.net.driver.DriverService;
import org.onosproject.net.driver.DriverServiceAdapter;
import org.onosproject.net.flow.DefaultFlowRule;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.impl.FlowRuleManager;
import org.onosproject.net.flowobjective.FlowObjectiveServiceAdapter;
import org.onosproject.net.flowobjective.ForwardingObjective;
import org.onosproject.net.flowobjective.Objective;
import org.onosproject.net.group.impl.GroupManager;
import org.onosproject.net.link.impl.LinkManager;
import org.onosproject.net.meter.impl.MeterManager;
import org.onosproject.net.packet.impl.PacketManager;
import org.onosproject.net.region.RegionService;
import org.onosproject.store.cluster.messaging.ClusterCommunicationServiceAdapter;
import org.onosproject.store.trivial.SimpleDeviceStore;
import org.onosproject.store.trivial.SimpleLinkStore;
import org.onosproject.store.trivial.SimpleMastershipStore;
import org.onosproject.store.trivial.SimplePacketStore;
import org.onosproject.upgrade.UpgradeService;
import org.osgi.service.component.ComponentContext;
import org.sluice.forwarding.testing.FabricUnderTest;

/** ONOS's real managers on its simple stores, over simulated switches, in this JVM. */
public final class OnosWorld implements FabricUnderTest, AutoCloseable {
  public static final NodeId LOCAL = new NodeId("local");
  private static final NodeId ELSEWHERE = new NodeId("elsewhere");

  public final SimulatedSwitches switches = new SimulatedSwitches();
  public final FakeHosts hosts = new FakeHosts();
  public final FakeConfiguration configuration = new FakeConfiguration();

  /** Added to the clock of what ages, and the whole clock of what counts per second. */
  final AtomicLong laterNanos = new AtomicLong();

  public final FakeApplications applications = new FakeApplications();
  public final MemoryStorage storage = new MemoryStorage();
  public final MemoryPersistence persistence = new MemoryPersistence();
  public final MastershipManager mastership = new MastershipManager();
  public final DeviceManager devices = new DeviceManager();
  public final LinkManager links = new LinkManager();
  public final FlowRuleManager flows = new FlowRuleManager();
  public final PacketManager packets = new PacketManager();
  public final MeterManager meters = new MeterManager();
  public final GroupManager groups = new GroupManager();
  private final SimpleMeterStore meterStore = new SimpleMeterStore();
  final Wiring wiring = new Wiring();
  private final List<Object> managers =
      List.of(mastership, devices, links, flows, groups, meters, packets);

  public OnosWorld() {
    switches.world = this;
    addSurroundings();
    List.of(
            new SimpleMastershipStore(),
            new SimpleDeviceStore(),
            new SimpleLinkStore(),
            new ReplacingFlowStore(),
            new SerialGroupStore(),
            new SimplePacketStore())
        .forEach(store -> activate(wiring.add(store)));
    wiring.add(meterStore);
    managers.forEach(wiring::add);
    managers.forEach(this::activate);
    switches.deviceService = devices.register(switches);
    switches.linkService = links.register(switches);
    switches.flowService = flows.register(switches);
    switches.meterService = meters.register(switches);
    switches.groupService = groups.register(switches);
    switches.packetService = packets.register(switches);
  }

  private void addSurroundings() {
    DriverService drivers = new PlainDrivers();
    AbstractProjectableModel.setDriverService(null, drivers);
    wiring.add(drivers);
    wiring.add(new TestEventDispatcher());
    wiring.add(new LocalCluster());
    wiring.add(new ComponentConfigAdapter());
    wiring.add(new ClusterCommunicationServiceAdapter());
    wiring.add(
        new VersionServiceAdapter() {
          @Override
          public Version version() {
            return Version.version("2.5.6");
          }
        });
    wiring.add(new MetricsManager());
    wiring.add(new RulesForObjectives());
    wiring.add(Wiring.nothing(NetworkConfigRegistry.class));
    wiring.add(Wiring.nothing(RegionService.class));
    wiring.add(Wiring.nothing(UpgradeService.class));
    wiring.add(applications);
    wiring.add(applications.core);
    wiring.add(storage);
    wiring.add(persistence);
    wiring.add(hosts);
  }

  private void activate(Object component) {
    wiring.inject(component);
    if (Wiring.has(component, "activate", 0)) {
      Wiring.call(component, "activate");
    } else if (Wiring.has(component, "activate", 1)) {
      Wiring.call(component, "activate", context(Map.of()));
    }
  }

  /** A component's context with these properties. */
  public static ComponentContext context(Map<String, Object> properties) {
    return (ComponentContext)
        java.lang.reflect.Proxy.newProxyInstance(
            ComponentContext.class.getClassLoader(),
            new Class<?>[] {ComponentContext.class},
            (proxy, method, arguments) ->
                method.getName().equals("getProperties") ? new Hashtable<>(properties) : null);
  }

  /** A switch that says it has no meters. */
  public void denyMeters(String name) {
    meterStore.deny(device(name));
  }

  public static DeviceId device(String name) {
    return Samples.point(name + "/1").deviceId();
  }

  @Override
  public SimulatedSwitches tables() {
    return switches;
  }

  @Override
  public void connect(String name, long... ports) {
    switches.connect(name, ports);
  }

  @Override
  public void disconnect(String name) {
    switches.disconnect(name);
  }

  @Override
  public void link(String a, String b) {
    switches.link(a, b);
  }

  @Override
  public void seen(String mac, String at, String... ips) {
    hosts.seen(mac, at, ips);
  }

  @Override
  public void setCapacity(String port, long bitsPerSecond) {
    configuration.setCapacity(port, bitsPerSecond);
  }

  @Override
  public void receive(String at, byte[] frame) {
    switches.receive(at, frame, Optional.empty());
  }

  @Override
  public void receive(String at, byte[] frame, int priority) {
    switches.receive(at, frame, Optional.of(switches.cookie(at, priority)));
  }

  @Override
  public List<byte[]> emittedAt(String port) {
    return switches.emittedAt(port);
  }

  @Override
  public boolean hasEmitted() {
    return !switches.emitted.isEmpty();
  }

  @Override
  public void clearEmitted() {
    switches.emitted.clear();
  }

  @Override
  public boolean isListening() {
    return !packets.getProcessors().isEmpty() || !packets.getRequests().isEmpty();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime() + laterNanos.get();
  }

  @Override
  public void later(long nanos) {
    laterNanos.addAndGet(nanos);
  }

  @Override
  public void until(Runnable assertion) {
    Waiting.until(assertion);
  }

  @Override
  public void loseMastership(String name) {
    setMaster(ELSEWHERE, device(name), MastershipRole.STANDBY);
  }

  @Override
  public void gainMastership(String name) {
    setMaster(LOCAL, device(name), MastershipRole.MASTER);
  }

  /**
   * Returns when the switch has accepted its new role: a role that moves again before that is taken
   * by ONOS for one that the switch refused, and given up.
   */
  private void setMaster(NodeId node, DeviceId device, MastershipRole localRole) {
    ((MastershipAdminService) mastership).setRole(node, device, MastershipRole.MASTER).join();
    until(() -> assertThat(switches.role(device)).isEqualTo(localRole));
  }

  /**
   * Returns when ONOS has dealt with every change of mastership so far. One that finds its switch
   * gone gives the mastership up, and only a master marks a switch unavailable.
   */
  void awaitMastership() {
    ExecutorService events = Wiring.field(devices, "backgroundService", ExecutorService.class);
    CompletableFuture.runAsync(() -> {}, events).join();
  }

  @Override
  public void close() {
    for (int i = managers.size() - 1; i >= 0; i--) {
      Wiring.call(managers.get(i), "deactivate");
    }
  }

  /** A cluster of one node. */
  public static final class LocalCluster extends ClusterServiceAdapter {
    @Override
    public ControllerNode getLocalNode() {
      return new DefaultControllerNode(LOCAL, org.onlab.packet.IpAddress.valueOf("127.0.0.1"));
    }

    @Override
    public Set<ControllerNode> getNodes() {
      return Set.of(getLocalNode());
    }
  }

  /** Every switch has the same driver: it takes packet requests, and no other behaviour. */
  private static final class PlainDrivers extends DriverServiceAdapter {
    private final Driver driver =
        new DefaultDriver(
            "plain", List.of(), "", "", "", Map.of(), Map.of("supportPacketRequest", "true"));

    @Override
    public Driver getDriver(DeviceId device) {
      return driver;
    }

    @Override
    public Driver getDriver(String name) {
      return driver;
    }
  }

  /** What ONOS's default pipeliner does with the objectives of packet requests. */
  private final class RulesForObjectives extends FlowObjectiveServiceAdapter {
    @Override
    public void forward(DeviceId device, ForwardingObjective objective) {
      FlowRule rule =
          DefaultFlowRule.builder()
              .forDevice(device)
              .forTable(0)
              .withPriority(objective.priority())
              .withSelector(objective.selector())
              .withTreatment(objective.treatment())
              .fromApp(objective.appId())
              .makePermanent()
              .build();
      if (objective.op() == Objective.Operation.ADD) {
        flows.applyFlowRules(rule);
      } else {
        flows.removeFlowRules(rule);
      }
    }
  }
}
