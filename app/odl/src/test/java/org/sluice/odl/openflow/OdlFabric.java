// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.stream.Collectors.toList;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.flow.and.statistics.map.list.FlowAndStatisticsMapList;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.Meter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.meter.band.headers.MeterBandHeader;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketReceivedBuilder;
import org.sluice.core.testing.Samples;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.MemoryFabric;
import org.sluice.forwarding.testing.RuleText;
import org.sluice.forwarding.testing.TablesUnderTest;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

/**
 * A network whose switches are behind openflowplugin's services; what is no table and no packet is
 * a {@link MemoryFabric}'s.
 */
final class OdlFabric implements FabricUnderTest, TablesUnderTest {
  /** So long a switch takes to be read. */
  private static final long AUDITED_NANOS = 5_000_000;

  private static final long POLL_NANOS = 1_000_000_000;

  final MemoryFabric memory = new MemoryFabric();
  final FakeSwitches switches = new FakeSwitches(memory.time);
  SwitchTables tables;
  private OdlPacketIn packetIn;
  private boolean isOpen;

  /** The platform in a life that begins. */
  ForwardingPlatform begin() {
    tables = new SwitchTables(switches.mdsal, memory.switches(), memory, memory, memory.time);
    tables.start();
    packetIn = new OdlPacketIn(switches.mdsal, tables);
    packetIn.start();
    isOpen = true;
    OdlPacketOut packetOut = new OdlPacketOut(switches.mdsal);
    later(AUDITED_NANOS);
    Map<String, Object> ours =
        Map.of(
            "rules", tables.rules(),
            "meters", tables.meters(),
            "groups", tables.groups(),
            "packetIn", packetIn,
            "packetOut", packetOut);
    return platform(ours, memory);
  }

  /** A platform with some parts of ours, by the names of their getters, and all else in memory. */
  static ForwardingPlatform platform(Map<String, Object> ours, MemoryFabric memory) {
    return (ForwardingPlatform)
        Proxy.newProxyInstance(
            ForwardingPlatform.class.getClassLoader(),
            new Class<?>[] {ForwardingPlatform.class},
            (proxy, method, arguments) ->
                ours.containsKey(method.getName())
                    ? ours.get(method.getName())
                    : method.invoke(memory, arguments));
  }

  void end() {
    packetIn.stop();
    tables.stop();
    isOpen = false;
  }

  private FakeSwitches.One one(String name) {
    return switches.get(name);
  }

  // ------------------------------------------------------------ the network

  @Override
  public TablesUnderTest tables() {
    return this;
  }

  @Override
  public void connect(String name, long... ports) {
    switches.connect(name);
    memory.connect(name, ports);
  }

  @Override
  public void disconnect(String name) {
    switches.disconnect(name);
    memory.disconnect(name);
  }

  @Override
  public void link(String a, String b) {
    memory.link(a, b);
  }

  @Override
  public void seen(String mac, String at, String... ips) {
    memory.seen(mac, at, ips);
  }

  @Override
  public void setCapacity(String port, long bitsPerSecond) {
    memory.setCapacity(port, bitsPerSecond);
  }

  /** The tables follow on their own thread. */
  @Override
  public void loseMastership(String name) {
    memory.loseMastership(name);
    later(AUDITED_NANOS);
  }

  @Override
  public void gainMastership(String name) {
    memory.gainMastership(name);
    later(AUDITED_NANOS);
  }

  @Override
  public void receive(String at, byte[] frame) {
    receive(at, frame, new PacketReceivedBuilder());
  }

  @Override
  public void receive(String at, byte[] frame, int priority) {
    FlowAndStatisticsMapList flow =
        one(at.substring(0, at.indexOf('/'))).flows.values().stream()
            .filter(each -> each.getPriority().toJava() == priority)
            .findFirst()
            .orElseThrow();
    receive(at, frame, new PacketReceivedBuilder().setFlowCookie(flow.getCookie()));
  }

  private void receive(String at, byte[] frame, PacketReceivedBuilder packet) {
    switches.mdsal.receive(
        packet
            .setIngress(Mdsal.connectorReference(Datapaths.connector(Samples.port(at))))
            .setPayload(frame)
            .build());
  }

  @Override
  public List<byte[]> emittedAt(String port) {
    String connector =
        Datapaths.nodeId(Samples.port(port).datapath()) + ":" + Samples.port(port).number();
    return switches.transmitted.stream()
        .filter(packet -> Mdsal.connectorId(packet.getEgress()).equals(connector))
        .map(packet -> packet.getPayload())
        .collect(toList());
  }

  @Override
  public boolean hasEmitted() {
    return !switches.transmitted.isEmpty();
  }

  @Override
  public void clearEmitted() {
    switches.transmitted.clear();
  }

  @Override
  public boolean isListening() {
    return isOpen && packetIn.hasListeners();
  }

  @Override
  public long nanoTime() {
    return memory.nanoTime();
  }

  @Override
  public void later(long nanos) {
    memory.later(nanos);
  }

  @Override
  public void until(Runnable assertion) {
    memory.until(assertion);
  }

  @Override
  public void close() {
    if (isOpen) {
      end();
    }
  }

  // ------------------------------------------------------------ what switches hold

  @Override
  public List<String> rules(String name) {
    List<String> texts = new ArrayList<>();
    for (FlowAndStatisticsMapList flow : one(name).flows.values()) {
      if (!OdlRules.isPunt(flow.getCookie().getValue().longValue())) {
        Rule.Key key =
            Rule.Key.of(
                Samples.datapath(name),
                flow.getTableId().toJava(),
                flow.getPriority().toJava(),
                FlowReader.match(flow.getMatch()).orElseThrow());
        texts.add(
            RuleText.of(Rule.of(key, FlowReader.treatment(flow.getInstructions()).orElseThrow())));
      }
    }
    texts.sort(null);
    return texts;
  }

  @Override
  public int modifications(String name) {
    return calls(name, "AddFlowInput") + calls(name, "RemoveFlowInput");
  }

  private int calls(String name, String kind) {
    return one(name).calls.getOrDefault(kind, 0);
  }

  @Override
  public int refused() {
    return switches.refusedFlows;
  }

  @Override
  public int meterCount(String name) {
    return one(name).meters.size();
  }

  @Override
  public List<Long> meterRates(String name) {
    return one(name).meters.values().stream()
        .map(meter -> band(meter).getBandRate().longValue())
        .collect(toList());
  }

  @Override
  public long meterRate(String name, long meter) {
    return band(one(name).meters.get(meter)).getBandRate().longValue();
  }

  @Override
  public List<Long> meterBursts(String name) {
    return one(name).meters.values().stream()
        .map(meter -> band(meter).getBandBurstSize().longValue())
        .collect(toList());
  }

  private static MeterBandHeader band(Meter meter) {
    return meter.getMeterBandHeaders().nonnullMeterBandHeader().values().iterator().next();
  }

  @Override
  public int rateChanges(String name) {
    return calls(name, "UpdateMeterInput");
  }

  @Override
  public void setChangesMeters(boolean value) {
    switches.changesMeters = value;
  }

  /** Once the platform has read it. */
  @Override
  public void setMeterSpace(String name, int meterCount) {
    one(name).meterSpace = meterCount;
    poll();
  }

  @Override
  public void loseMeter(String name, long meter) {
    one(name).meters.remove(meter);
  }

  @Override
  public void forget(String name) {
    one(name).empty();
  }

  @Override
  public void forgetStoredRules() {
    OdlRules rules = (OdlRules) tables.rules();
    List.copyOf(rules.switches()).forEach(rules::forget);
  }

  @Override
  public void poll() {
    if (isOpen) {
      tables.followAll();
    }
    later(POLL_NANOS);
  }
}
