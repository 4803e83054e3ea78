// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.onlab.packet.ChassisId;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.MastershipRole;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DefaultDeviceDescription;
import org.onosproject.net.device.DefaultPortDescription;
import org.onosproject.net.device.DeviceProvider;
import org.onosproject.net.device.DeviceProviderService;
import org.onosproject.net.device.PortDescription;
import org.onosproject.net.device.PortStatistics;
import org.onosproject.net.flow.CompletedBatchOperation;
import org.onosproject.net.flow.DefaultFlowEntry;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.FlowRuleProvider;
import org.onosproject.net.flow.FlowRuleProviderService;
import org.onosproject.net.flow.instructions.Instructions;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchOperation;
import org.onosproject.net.group.Group;
import org.onosproject.net.group.GroupOperation;
import org.onosproject.net.group.GroupOperations;
import org.onosproject.net.group.GroupProvider;
import org.onosproject.net.group.GroupProviderService;
import org.onosproject.net.group.StoredGroupEntry;
import org.onosproject.net.link.DefaultLinkDescription;
import org.onosproject.net.link.LinkProvider;
import org.onosproject.net.link.LinkProviderService;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultBand;
import org.onosproject.net.meter.DefaultMeter;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterCellId;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterOperation;
import org.onosproject.net.meter.MeterOperations;
import org.onosproject.net.meter.MeterProvider;
import org.onosproject.net.meter.MeterProviderService;
import org.onosproject.net.meter.MeterState;
import org.onosproject.net.packet.OutboundPacket;
import org.onosproject.net.packet.PacketProvider;
import org.onosproject.net.packet.PacketProviderService;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.sluice.forwarding.testing.TablesUnderTest;
import org.sluice.onos.openflow.MeterRates;
import org.sluice.onos.platform.OnosRuleText;

/**
 * OpenFlow switches without a network, behaving as ONOS's stock providers show them: rules stand
 * once statistics say so, a rule with a meter or group that is not there is refused, and taking a
 * meter or group away takes its rules along.
 */
@SuppressWarnings("deprecation") // ONOS's own stores and providers still use this form.
public final class SimulatedSwitches extends AbstractProvider
    implements DeviceProvider,
        FlowRuleProvider,
        MeterProvider,
        GroupProvider,
        PacketProvider,
        LinkProvider,
        MeterRates,
        TablesUnderTest {
  private static final long PORT_SPEED_MBPS = 1000;

  /** What one switch holds. */
  private static final class Tables {
    final Map<FlowRule, FlowRule> rules = new LinkedHashMap<>();
    final Map<MeterCellId, Meter> meters = new LinkedHashMap<>();
    final Map<MeterCellId, Long> lives = new LinkedHashMap<>();
    final Set<Integer> groups = new TreeSet<>();
    final Set<Long> ports = new TreeSet<>();
  }

  private final Map<DeviceId, Tables> switches = new LinkedHashMap<>();
  private final Set<DeviceId> connected = new HashSet<>();
  private final Map<DeviceId, MastershipRole> roles = new ConcurrentHashMap<>();
  final List<OutboundPacket> emitted = new CopyOnWriteArrayList<>();

  /** How many meters a switch has space for, where not every number. */
  private final Map<DeviceId, Integer> space = new ConcurrentHashMap<>();

  DeviceProviderService deviceService;
  FlowRuleProviderService flowService;
  MeterProviderService meterService;
  GroupProviderService groupService;
  PacketProviderService packetService;
  LinkProviderService linkService;
  OnosWorld world;
  private int refused;
  private volatile BiConsumer<DeviceId, MeterId> refusalListener = (device, meter) -> {};
  private final Map<DeviceId, Integer> rateChanges = new LinkedHashMap<>();
  private boolean changesMeters = true;
  private final Map<DeviceId, Integer> modifications = new LinkedHashMap<>();

  SimulatedSwitches() {
    super(new ProviderId("of", "org.sluice.test"));
  }

  /** The provider that polls switches has read their ports. */
  public void portsRead(String name, Collection<PortStatistics> read) {
    deviceService.updatePortStatistics(Samples.point(name + "/1").deviceId(), read);
  }

  /** A switch with these ports comes, or comes back with the tables that it had. */
  public void connect(String name, long... ports) {
    DeviceId device = Samples.point(name + "/1").deviceId();
    synchronized (this) {
      Tables tables = switches.computeIfAbsent(device, d -> new Tables());
      for (long port : ports) {
        tables.ports.add(port);
      }
      connected.add(device);
    }
    deviceService.deviceConnected(
        device,
        new DefaultDeviceDescription(
            URI.create(device.toString()),
            Device.Type.SWITCH,
            "Sluice",
            "simulated",
            "1",
            "1",
            new ChassisId(1)));
    List<PortDescription> descriptions = new ArrayList<>();
    for (long port : switches.get(device).ports) {
      descriptions.add(
          DefaultPortDescription.builder()
              .withPortNumber(PortNumber.portNumber(port))
              .isEnabled(true)
              .portSpeed(PORT_SPEED_MBPS)
              .build());
    }
    deviceService.updatePorts(device, descriptions);
  }

  public void disconnect(String name) {
    DeviceId device = Samples.point(name + "/1").deviceId();
    world.awaitMastership();
    synchronized (this) {
      connected.remove(device);
    }
    deviceService.deviceDisconnected(device);
  }

  @Override
  public synchronized void forget(String name) {
    Tables tables = switches.get(Samples.point(name + "/1").deviceId());
    tables.rules.clear();
    tables.meters.clear();
    tables.lives.clear();
    tables.groups.clear();
  }

  /** A link in both directions is discovered. */
  public void link(String a, String b) {
    linkService.linkDetected(description(a, b));
    linkService.linkDetected(description(b, a));
  }

  public void unlink(String a, String b) {
    linkService.linkVanished(description(a, b));
    linkService.linkVanished(description(b, a));
  }

  /** A link is torn out: both of its ends see no signal any longer. */
  public void cut(String a, String b) {
    for (String end : List.of(a, b)) {
      ConnectPoint point = Samples.point(end);
      deviceService.portStatusChanged(
          point.deviceId(),
          DefaultPortDescription.builder()
              .withPortNumber(point.port())
              .isEnabled(false)
              .portSpeed(PORT_SPEED_MBPS)
              .build());
    }
    unlink(a, b);
  }

  private static DefaultLinkDescription description(String a, String b) {
    return new DefaultLinkDescription(Samples.point(a), Samples.point(b), Link.Type.DIRECT);
  }

  void receive(String at, byte[] frame, Optional<Long> cookie) {
    packetService.processPacket(new TestPacketContext(Samples.point(at), frame, cookie));
  }

  /** The number of the one rule of a priority on the switch. */
  synchronized long cookie(String at, int priority) {
    return switches.get(Samples.point(at).deviceId()).rules.values().stream()
        .filter(each -> each.priority() == priority)
        .map(each -> each.id().value())
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void poll() {
    Map<DeviceId, Tables> now;
    synchronized (this) {
      now = new LinkedHashMap<>(switches);
      now.keySet().retainAll(connected);
    }
    now.forEach(
        (device, tables) -> {
          flowService.pushFlowMetrics(device, entries(tables));
          meterService.pushMeterMetrics(device, meters(tables));
          groupService.pushGroupMetrics(device, groups(device, tables));
        });
  }

  private synchronized List<FlowEntry> entries(Tables tables) {
    List<FlowEntry> entries = new ArrayList<>();
    tables
        .rules
        .values()
        .forEach(
            rule ->
                entries.add(
                    new DefaultFlowEntry(rule, FlowEntry.FlowEntryState.ADDED, 1L, 0L, 0L)));
    return entries;
  }

  private synchronized List<Meter> meters(Tables tables) {
    List<Meter> meters = new ArrayList<>();
    for (Meter meter : tables.meters.values()) {
      DefaultMeter copy =
          (DefaultMeter)
              DefaultMeter.builder()
                  .forDevice(meter.deviceId())
                  .withCellId(meter.meterCellId())
                  .fromApp(meter.appId())
                  .withUnit(meter.unit())
                  .withBands(meter.bands())
                  .build();
      copy.setState(MeterState.ADDED);
      copy.setLife(tables.lives.merge(meter.meterCellId(), 1L, Long::sum));
      meters.add(copy);
    }
    return meters;
  }

  private synchronized Collection<Group> groups(DeviceId device, Tables tables) {
    List<Group> groups = new ArrayList<>();
    for (Group group : world.groups.getGroups(device)) {
      if (tables.groups.contains(group.id().id())) {
        ((StoredGroupEntry) group).setState(Group.GroupState.ADDED);
        groups.add(group);
      }
    }
    return groups;
  }

  @Override
  public synchronized List<String> rules(String name) {
    List<FlowRule> rules =
        new ArrayList<>(switches.get(Samples.point(name + "/1").deviceId()).rules.values());
    List<String> texts = new ArrayList<>();
    rules.forEach(rule -> texts.add(OnosRuleText.of(rule)));
    texts.sort(null);
    return texts;
  }

  @Override
  public synchronized List<Long> meterRates(String name) {
    List<Long> rates = new ArrayList<>();
    for (Meter meter : switches.get(Samples.point(name + "/1").deviceId()).meters.values()) {
      meter.bands().forEach(band -> rates.add(band.rate()));
    }
    return rates;
  }

  @Override
  public synchronized long meterRate(String name, long number) {
    Meter meter =
        switches.get(Samples.point(name + "/1").deviceId()).meters.get(MeterId.meterId(number));
    return meter.bands().iterator().next().rate();
  }

  @Override
  public synchronized List<Long> meterBursts(String name) {
    List<Long> bursts = new ArrayList<>();
    for (Meter meter : switches.get(Samples.point(name + "/1").deviceId()).meters.values()) {
      meter.bands().forEach(band -> bursts.add(band.burst()));
    }
    return bursts;
  }

  @Override
  public synchronized void setChangesMeters(boolean value) {
    changesMeters = value;
  }

  @Override
  public synchronized int rateChanges(String name) {
    return rateChanges.getOrDefault(Samples.point(name + "/1").deviceId(), 0);
  }

  @Override
  public void setRefusalListener(BiConsumer<DeviceId, MeterId> listener) {
    refusalListener = listener;
  }

  @Override
  public boolean change(DeviceId device, MeterId id, long kilobitsPerSecond, long burstKilobits) {
    synchronized (this) {
      if (!connected.contains(device) || role(device) != MastershipRole.MASTER) {
        return false;
      }
      rateChanges.merge(device, 1, Integer::sum);
      Meter meter = switches.get(device).meters.get(id);
      if (meter != null && changesMeters) {
        Band band =
            DefaultBand.builder()
                .ofType(Band.Type.DROP)
                .withRate(kilobitsPerSecond)
                .burstSize(burstKilobits)
                .build();
        switches
            .get(device)
            .meters
            .put(
                id,
                DefaultMeter.builder()
                    .forDevice(device)
                    .withCellId(id)
                    .fromApp(meter.appId())
                    .withUnit(meter.unit())
                    .withBands(List.of(band))
                    .build());
        return true;
      }
    }
    refusalListener.accept(device, id);
    return true;
  }

  @Override
  public void setMeterSpace(String name, int meterCount) {
    space.put(OnosWorld.device(name), meterCount);
    if (meterCount == 0) {
      world.denyMeters(name);
    }
  }

  @Override
  public void forgetStoredRules() {
    switches.keySet().forEach(world.flows::purgeFlowRules);
  }

  @Override
  public synchronized void loseMeter(String name, long number) {
    Tables tables = switches.get(Samples.point(name + "/1").deviceId());
    tables.meters.remove(MeterId.meterId(number));
    tables.lives.remove(MeterId.meterId(number));
  }

  @Override
  public synchronized int modifications(String name) {
    return modifications.getOrDefault(Samples.point(name + "/1").deviceId(), 0);
  }

  @Override
  public synchronized int meterCount(String name) {
    return switches.get(Samples.point(name + "/1").deviceId()).meters.size();
  }

  public synchronized int groupCount(String name) {
    return switches.get(Samples.point(name + "/1").deviceId()).groups.size();
  }

  @Override
  public synchronized int refused() {
    return refused;
  }

  @Override
  public synchronized void applyFlowRule(FlowRule... rules) {
    for (FlowRule rule : rules) {
      apply(rule);
    }
  }

  private boolean apply(FlowRule rule) {
    Tables tables = switches.get(rule.deviceId());
    boolean metersThere =
        rule.treatment().meters().stream().allMatch(m -> tables.meters.containsKey(m.meterId()));
    boolean groupsThere =
        rule.treatment().immediate().stream()
            .filter(Instructions.GroupInstruction.class::isInstance)
            .map(i -> ((Instructions.GroupInstruction) i).groupId().id())
            .allMatch(tables.groups::contains);
    if (!metersThere || !groupsThere || !connected.contains(rule.deviceId())) {
      refused++;
      return false;
    }
    tables.rules.remove(rule);
    tables.rules.put(rule, rule);
    return true;
  }

  @Override
  public synchronized void removeFlowRule(FlowRule... rules) {
    for (FlowRule rule : rules) {
      switches.get(rule.deviceId()).rules.remove(rule);
    }
  }

  @Override
  public void executeBatch(FlowRuleBatchOperation batch) {
    Set<FlowRule> failed = new HashSet<>();
    Set<FlowRule> removed = new HashSet<>();
    synchronized (this) {
      Map<FlowRule, FlowRule> rules = switches.get(batch.deviceId()).rules;
      for (FlowRuleBatchEntry entry : batch.getOperations()) {
        FlowRule before = rules.get(entry.target());
        boolean isRemoved = entry.operator() == FlowRuleBatchEntry.FlowRuleOperation.REMOVE;
        if (isRemoved ? before != null : before == null || !before.exactMatch(entry.target())) {
          modifications.merge(batch.deviceId(), 1, Integer::sum);
        }
        if (isRemoved) {
          removeFlowRule(entry.target());
          removed.add(entry.target());
        } else if (!apply(entry.target())) {
          failed.add(entry.target());
        }
      }
    }
    flowService.batchOperationCompleted(
        batch.id(), new CompletedBatchOperation(failed.isEmpty(), failed, batch.deviceId()));
    removed.forEach(rule -> flowService.flowRemoved(new DefaultFlowEntry(rule)));
  }

  @Override
  public synchronized void performMeterOperation(DeviceId device, MeterOperation operation) {
    Tables tables = switches.get(device);
    Meter meter = operation.meter();
    if (operation.type() == MeterOperation.Type.REMOVE) {
      tables.meters.remove(meter.meterCellId());
      tables
          .rules
          .keySet()
          .removeIf(
              rule ->
                  rule.treatment().meters().stream()
                      .anyMatch(m -> m.meterId().equals(meter.meterCellId())));
    } else if (tables.meters.size() >= space.getOrDefault(device, Integer.MAX_VALUE)) {
      meterService.meterOperationFailed(operation, MeterFailReason.OUT_OF_METERS);
    } else {
      tables.meters.put(meter.meterCellId(), meter);
    }
  }

  @Override
  public void performMeterOperation(DeviceId device, MeterOperations operations) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized void performGroupOperation(DeviceId device, GroupOperations operations) {
    Tables tables = switches.get(device);
    for (GroupOperation operation : operations.operations()) {
      if (operation.opType() == GroupOperation.Type.DELETE) {
        tables.groups.remove(operation.groupId().id());
      } else {
        tables.groups.add(operation.groupId().id());
      }
    }
  }

  @Override
  public void emit(OutboundPacket packet) {
    emitted.add(packet);
  }

  @Override
  public synchronized boolean isReachable(DeviceId device) {
    return connected.contains(device);
  }

  @Override
  public void roleChanged(DeviceId device, MastershipRole role) {
    deviceService.receivedRoleReply(device, role);
    roles.put(device, role);
  }

  /** The role in which the switch has accepted this node. */
  MastershipRole role(DeviceId device) {
    return roles.getOrDefault(device, MastershipRole.NONE);
  }

  @Override
  public void triggerProbe(DeviceId device) {
    // Nothing to find out.
  }

  @Override
  public void changePortState(DeviceId device, PortNumber port, boolean enable) {
    throw new UnsupportedOperationException();
  }

  /** Packets that left, by port and in order. */
  List<byte[]> emittedAt(String at) {
    ConnectPoint point = Samples.point(at);
    List<byte[]> frames = new ArrayList<>();
    for (OutboundPacket packet : emitted) {
      Optional<PortNumber> out =
          packet.treatment().immediate().stream()
              .filter(Instructions.OutputInstruction.class::isInstance)
              .map(i -> ((Instructions.OutputInstruction) i).port())
              .findFirst();
      if (packet.sendThrough().equals(point.deviceId()) && out.equals(Optional.of(point.port()))) {
        frames.add(bytes(packet.data()));
      }
    }
    return frames;
  }

  private static byte[] bytes(ByteBuffer data) {
    byte[] bytes = new byte[data.remaining()];
    data.duplicate().get(bytes);
    return bytes;
  }
}
