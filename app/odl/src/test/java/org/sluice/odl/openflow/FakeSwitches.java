// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter32;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter64;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatisticsInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatisticsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetGroupStatisticsInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetGroupStatisticsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatisticsInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatisticsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetNodeConnectorStatisticsInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetNodeConnectorStatisticsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.AddFlowInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.RemoveFlowInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.FlowId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.flow.and.statistics.map.list.FlowAndStatisticsMapList;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.flow.and.statistics.map.list.FlowAndStatisticsMapListBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.transaction.rev150304.SendBarrierInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.FlowCookie;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.Instructions;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.service.rev130918.AddGroupInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.service.rev130918.RemoveGroupInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.GroupId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.statistics.reply.GroupStats;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.statistics.reply.GroupStatsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.statistics.reply.GroupStatsKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeContextRef;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeRef;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.AddMeterInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.RemoveMeterInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.UpdateMeterInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.statistics.rev131111.NodeMeterFeaturesBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.statistics.rev131111.node.meter.features.MeterFeaturesBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.Meter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.DurationBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStats;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStatsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStatsKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.statistics.types.rev130925.node.connector.statistics.BytesBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.statistics.types.rev130925.node.connector.statistics.PacketsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.TransmitPacketInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.port.statistics.rev131214.node.connector.statistics.and.port.number.map.NodeConnectorStatisticsAndPortNumberMap;
import org.opendaylight.yang.gen.v1.urn.opendaylight.port.statistics.rev131214.node.connector.statistics.and.port.number.map.NodeConnectorStatisticsAndPortNumberMapBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.port.statistics.rev131214.node.connector.statistics.and.port.number.map.NodeConnectorStatisticsAndPortNumberMapKey;
import org.opendaylight.yangtools.util.concurrent.FluentFutures;
import org.opendaylight.yangtools.yang.common.ErrorType;
import org.opendaylight.yangtools.yang.common.RpcResultBuilder;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.FakeMdsal;

/**
 * Switches behind openflowplugin's services: what changes a table counts as done when a barrier is
 * answered, errors come at once.
 */
final class FakeSwitches {
  private static final long REPLY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** barrier-interval-timeout-limit, as OpenDaylight has it. */
  private static final long BARRIER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  final FakeMdsal mdsal = new FakeMdsal(this::call, this::read);

  /** Packets that were sent, in order. */
  final List<TransmitPacketInput> transmitted = new ArrayList<>();

  /** As with use-single-layer-serialization=true, OpenDaylight's default. */
  boolean changesMeters = true;

  /** Whether calls whose result is due together get it in the reverse order. */
  boolean reorders;

  /** How many rules were refused. */
  int refusedFlows;

  private final VirtualTime time;
  private final Map<String, One> all = new TreeMap<>();

  /** One switch. */
  static final class One {
    final Map<List<Object>, FlowAndStatisticsMapList> flows = new LinkedHashMap<>();
    final Map<Long, Meter> meters = new TreeMap<>();
    final Map<Long, Long> meterSinceNanos = new TreeMap<>();
    final Map<Long, AddGroupInput> groups = new TreeMap<>();
    final Map<Long, Long> portPackets = new TreeMap<>();
    private final List<Runnable> unconfirmed = new ArrayList<>();
    private final List<SettableFuture<Object>> pending = new ArrayList<>();
    boolean isThere = true;
    boolean answers = true;
    int meterSpace = Integer.MAX_VALUE;

    /** Calls of each kind. */
    final Map<String, Integer> calls = new TreeMap<>();

    int mostUnderWay;
    private int underWay;

    /** What was added, in order: group, meter or flow. */
    final List<String> added = new ArrayList<>();

    void empty() {
      flows.clear();
      meters.clear();
      groups.clear();
    }

    void dropFlows(Treatment through) {
      flows
          .values()
          .removeIf(
              flow -> {
                Treatment its = FlowReader.treatment(flow.getInstructions()).orElseThrow();
                return through.meter().isPresent() && its.meter().equals(through.meter())
                    || through.group().isPresent() && its.group().equals(through.group());
              });
    }
  }

  FakeSwitches(VirtualTime time) {
    this.time = time;
  }

  One get(String name) {
    return of(Samples.datapath(name));
  }

  private One of(String datapath) {
    return all.computeIfAbsent(datapath, d -> new One());
  }

  /** Its connection ends: whatever is under way fails. */
  void disconnect(String name) {
    One one = get(name);
    one.isThere = false;
    one.unconfirmed.clear();
    one.underWay = 0;
    List<SettableFuture<Object>> pending = List.copyOf(one.pending);
    one.pending.clear();
    pending.forEach(each -> each.set(failed("Device disconnected")));
  }

  void connect(String name) {
    get(name).isThere = true;
  }

  private static Object failed(String text) {
    return RpcResultBuilder.failed().withError(ErrorType.APPLICATION, text).build();
  }

  /** The features of a switch's meters; none, unless it takes no meters. */
  private Object read(Object path) {
    String datapath = Datapaths.datapath(nodeId(path.toString())).orElseThrow();
    Optional<?> features =
        of(datapath).meterSpace > 0
            ? Optional.empty()
            : Optional.of(
                new NodeMeterFeaturesBuilder()
                    .setMeterFeatures(
                        new MeterFeaturesBuilder().setMaxMeter(new Counter32(Uint32.ZERO)).build())
                    .build());
    return FluentFutures.immediateFluentFuture(features);
  }

  private ListenableFuture<?> call(Object input) {
    NodeRef node =
        input instanceof SendBarrierInput barrier
            ? barrier.getNode()
            : ((NodeContextRef) input).getNode();
    String datapath = Datapaths.datapath(nodeId(node.getValue().toString())).orElseThrow();
    One one = of(datapath);
    String kind = input.getClass().getInterfaces()[0].getSimpleName();
    one.calls.merge(kind, 1, Integer::sum);
    if (!one.isThere) {
      throw new IllegalStateException("No implementation of RPC " + kind);
    }
    SettableFuture<Object> result = SettableFuture.create();
    one.pending.add(result);
    if (one.answers) {
      execute(one, input, result);
    }
    return result;
  }

  private static String nodeId(String text) {
    int from = text.indexOf("openflow:");
    int to = from;
    while (to < text.length() && ":openflw0123456789".indexOf(text.charAt(to)) >= 0) {
      to++;
    }
    return text.substring(from, to);
  }

  private void answer(One one, SettableFuture<Object> result, Object value) {
    time.enqueue(
        time.nanoTime() + REPLY_NANOS,
        () -> {
          one.pending.removeIf(each -> each == result);
          result.set(RpcResultBuilder.success(value).build());
        });
  }

  /** It counts as done with the next barrier. */
  private void done(One one, SettableFuture<Object> result) {
    one.underWay++;
    one.mostUnderWay = Math.max(one.mostUnderWay, one.underWay);
    one.unconfirmed.add(
        () -> {
          one.underWay--;
          one.pending.removeIf(each -> each == result);
          result.set(RpcResultBuilder.success().build());
        });
    time.enqueue(time.nanoTime() + BARRIER_NANOS, () -> confirm(one));
  }

  private void confirm(One one) {
    List<Runnable> now = new ArrayList<>(one.unconfirmed);
    one.unconfirmed.clear();
    if (reorders) {
      Collections.reverse(now);
    }
    now.forEach(Runnable::run);
  }

  private void refuse(One one, SettableFuture<Object> result, String type, String code) {
    time.enqueue(
        time.nanoTime() + REPLY_NANOS,
        () -> {
          one.pending.removeIf(each -> each == result);
          result.set(failed(String.format("Device reported error type %s code %s", type, code)));
        });
  }

  private void execute(One one, Object input, SettableFuture<Object> result) {
    if (input instanceof AddFlowInput addFlow) {
      add(one, addFlow, result);
    } else if (input instanceof RemoveFlowInput removeFlow) {
      remove(one, removeFlow);
      done(one, result);
    } else if (input instanceof AddMeterInput addMeter) {
      long id = addMeter.getMeterId().getValue().longValue();
      if (one.meters.containsKey(id) || one.meters.size() >= one.meterSpace) {
        boolean isThere = one.meters.containsKey(id);
        refuse(one, result, "METERMODFAILED", isThere ? "METEREXISTS" : "OUTOFMETERS");
        return;
      }
      one.added.add("meter");
      one.meters.put(id, addMeter);
      one.meterSinceNanos.put(id, time.nanoTime());
      done(one, result);
    } else if (input instanceof UpdateMeterInput updateMeter) {
      Meter meter = updateMeter.getUpdatedMeter();
      if (changesMeters && one.meters.containsKey(meter.getMeterId().getValue().longValue())) {
        one.meters.put(meter.getMeterId().getValue().longValue(), meter);
        done(one, result);
      } else {
        refuse(one, result, "METERMODFAILED", changesMeters ? "UNKNOWNMETER" : "METEREXISTS");
      }
    } else if (input instanceof RemoveMeterInput removeMeter) {
      long id = removeMeter.getMeterId().getValue().longValue();
      one.meters.remove(id);
      one.dropFlows(Treatment.builder().meter(id).build());
      done(one, result);
    } else if (input instanceof AddGroupInput addGroup) {
      one.added.add("group");
      one.groups.put(addGroup.getGroupId().getValue().longValue(), addGroup);
      done(one, result);
    } else if (input instanceof RemoveGroupInput removeGroup) {
      long id = removeGroup.getGroupId().getValue().longValue();
      one.groups.remove(id);
      one.dropFlows(Treatment.builder().group(id).build());
      done(one, result);
    } else if (input instanceof SendBarrierInput) {
      time.enqueue(
          time.nanoTime() + REPLY_NANOS,
          () -> {
            confirm(one);
            result.set(RpcResultBuilder.success().build());
          });
    } else if (input instanceof TransmitPacketInput packet) {
      transmitted.add(packet);
      answer(one, result, null);
    } else {
      answer(one, result, statistics(one, input));
    }
  }

  private void add(One one, AddFlowInput input, SettableFuture<Object> result) {
    Treatment treatment = FlowReader.treatment(input.getInstructions()).orElseThrow();
    boolean hasMeter =
        treatment.meter().isEmpty() || one.meters.containsKey(treatment.meter().getAsLong());
    boolean hasGroup =
        treatment.group().isEmpty() || one.groups.containsKey(treatment.group().getAsLong());
    if (!hasMeter || !hasGroup) {
      refusedFlows++;
      refuse(one, result, hasMeter ? "BADACTION" : "METERMODFAILED", "UNKNOWN");
      return;
    }
    one.added.add("flow");
    put(one, input, input.getCookie(), input.getInstructions());
    done(one, result);
  }

  /** A rule as somebody else adds it. */
  static void put(
      One one,
      org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.Flow flow,
      FlowCookie cookie,
      Instructions instructions) {
    one.flows.put(
        List.of(flow.getTableId(), flow.getPriority(), flow.getMatch()),
        new FlowAndStatisticsMapListBuilder()
            .setFlowId(new FlowId("f" + one.flows.size()))
            .setTableId(flow.getTableId())
            .setPriority(flow.getPriority())
            .setMatch(flow.getMatch())
            .setCookie(cookie)
            .setInstructions(instructions)
            .setPacketCount(new Counter64(Uint64.valueOf(7)))
            .build());
  }

  private static void remove(One one, RemoveFlowInput input) {
    long mask = input.getCookieMask().getValue().longValue();
    List<Object> key = List.of(input.getTableId(), input.getPriority(), input.getMatch());
    FlowAndStatisticsMapList flow = one.flows.get(key);
    if (flow != null
        && (flow.getCookie().getValue().longValue() & mask)
            == (input.getCookie().getValue().longValue() & mask)) {
      one.flows.remove(key);
    }
  }

  private Object statistics(One one, Object input) {
    if (input instanceof GetFlowStatisticsInput flows) {
      long mask = flows.getCookieMask().getValue().longValue();
      long cookie = flows.getCookie().getValue().longValue();
      List<FlowAndStatisticsMapList> found = new ArrayList<>(one.flows.values());
      found.removeIf(flow -> (flow.getCookie().getValue().longValue() & mask) != cookie);
      return new GetFlowStatisticsOutputBuilder().setFlowAndStatisticsMapList(found).build();
    }
    if (input instanceof GetMeterStatisticsInput meters) {
      MeterId wanted = meters.getMeterId();
      Map<MeterStatsKey, MeterStats> found = new LinkedHashMap<>();
      for (long id : one.meters.keySet()) {
        MeterId meterId = new MeterId(Uint32.valueOf(id));
        if (wanted == null || wanted.equals(meterId)) {
          found.put(new MeterStatsKey(meterId), meter(one, meterId));
        }
      }
      return new GetMeterStatisticsOutputBuilder().setMeterStats(found).build();
    }
    if (input instanceof GetGroupStatisticsInput) {
      Map<GroupStatsKey, GroupStats> found = new LinkedHashMap<>();
      for (long id : one.groups.keySet()) {
        GroupId groupId = new GroupId(Uint32.valueOf(id));
        found.put(new GroupStatsKey(groupId), new GroupStatsBuilder().setGroupId(groupId).build());
      }
      return new GetGroupStatisticsOutputBuilder().setGroupStats(found).build();
    }
    NodeConnectorId wanted = ((GetNodeConnectorStatisticsInput) input).getNodeConnectorId();
    Map<NodeConnectorStatisticsAndPortNumberMapKey, NodeConnectorStatisticsAndPortNumberMap> found =
        new LinkedHashMap<>();
    one.portPackets.forEach(
        (number, packets) -> {
          boolean isWanted = wanted == null || wanted.getValue().endsWith(":" + number);
          if (isWanted) {
            NodeConnectorId id = new NodeConnectorId("openflow:1:" + number);
            found.put(new NodeConnectorStatisticsAndPortNumberMapKey(id), port(id, packets));
          }
        });
    NodeConnectorId local = new NodeConnectorId("openflow:1:LOCAL");
    if (wanted == null) {
      found.put(new NodeConnectorStatisticsAndPortNumberMapKey(local), port(local, 1));
    }
    return new GetNodeConnectorStatisticsOutputBuilder()
        .setNodeConnectorStatisticsAndPortNumberMap(found)
        .build();
  }

  private MeterStats meter(One one, MeterId id) {
    long life = time.nanoTime() - one.meterSinceNanos.getOrDefault(id.getValue().longValue(), 0L);
    return new MeterStatsBuilder()
        .setMeterId(id)
        .setPacketInCount(new Counter64(Uint64.valueOf(TimeUnit.NANOSECONDS.toMillis(life))))
        .setByteInCount(new Counter64(Uint64.valueOf(TimeUnit.NANOSECONDS.toMillis(life) * 1500)))
        .setDuration(
            new DurationBuilder()
                .setSecond(new Counter32(Uint32.valueOf(TimeUnit.NANOSECONDS.toSeconds(life))))
                .setNanosecond(new Counter32(Uint32.valueOf(life % 1_000_000_000L)))
                .build())
        .build();
  }

  private NodeConnectorStatisticsAndPortNumberMap port(NodeConnectorId id, long packets) {
    Uint64 count = Uint64.valueOf(packets);
    Uint64 bytes = Uint64.valueOf(packets * 1500);
    return new NodeConnectorStatisticsAndPortNumberMapBuilder()
        .setNodeConnectorId(id)
        .setPackets(new PacketsBuilder().setReceived(count).setTransmitted(count).build())
        .setBytes(new BytesBuilder().setReceived(bytes).setTransmitted(bytes).build())
        .setTransmitDrops(Uint64.MAX_VALUE)
        .setDuration(
            new org.opendaylight.yang.gen.v1.urn.opendaylight.model.statistics.types.rev130925
                    .duration.DurationBuilder()
                .setSecond(
                    new Counter32(Uint32.valueOf(TimeUnit.NANOSECONDS.toSeconds(time.nanoTime()))))
                .setNanosecond(new Counter32(Uint32.valueOf(time.nanoTime() % 1_000_000_000L)))
                .build())
        .build();
  }
}
