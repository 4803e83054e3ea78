// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static com.google.common.util.concurrent.MoreExecutors.directExecutor;
import static java.util.stream.Collectors.toList;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatistics;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatisticsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetGroupStatistics;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetGroupStatisticsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatistics;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatisticsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetNodeConnectorStatistics;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetNodeConnectorStatisticsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.AddFlow;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.AddFlowInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.RemoveFlow;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.RemoveFlowInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.flow.and.statistics.map.list.FlowAndStatisticsMapList;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.transaction.rev150304.SendBarrier;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.transaction.rev150304.SendBarrierInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.FlowCookie;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.service.rev130918.AddGroup;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.service.rev130918.AddGroupInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.service.rev130918.RemoveGroup;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.service.rev130918.RemoveGroupInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.BucketId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.GroupId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.GroupTypes;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.BucketsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.buckets.Bucket;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.buckets.BucketBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.group.types.rev131018.group.buckets.BucketKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeRef;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.AddMeter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.AddMeterInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.RemoveMeter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.RemoveMeterInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.UpdateMeter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.UpdateMeterInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.meter.update.OriginalMeterBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.service.rev130918.meter.update.UpdatedMeterBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.statistics.rev131111.NodeMeterFeatures;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.BandId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterBandType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterFlags;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.band.type.band.type.DropBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.MeterBandHeaders;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.MeterBandHeadersBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.meter.band.headers.MeterBandHeader;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.meter.band.headers.MeterBandHeaderBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.meter.band.headers.MeterBandHeaderKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.meter.band.headers.meter.band.header.MeterBandTypesBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStats;
import org.opendaylight.yang.gen.v1.urn.opendaylight.port.statistics.rev131214.node.connector.statistics.and.port.number.map.NodeConnectorStatisticsAndPortNumberMap;
import org.opendaylight.yangtools.yang.common.RpcError;
import org.opendaylight.yangtools.yang.common.RpcResult;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.common.Uint8;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;
import org.sluice.polling.Reading;

/**
 * What is asked of switches, by openflowplugin's RPC services. No call waits; a result comes on any
 * thread, or never. A call whose switch answers with an error ends with {@link Refusal}, one that
 * could not be carried out with any other exception.
 */
final class SwitchCalls {
  /** How openflowplugin begins what it says of a switch's own error messages. */
  private static final String DEVICE_ERROR = "Device reported error";

  private static final Uint8 ALL_TABLES = Uint8.MAX_VALUE;

  /** OFPP_ANY and OFPG_ANY; OpenFlow 1.3.5, sections 7.2.1 and 7.2.4.2. */
  private static final long ANY = 0xffffffffL;

  /** Of rules of an application, all alike are distinguished by the upper half of their cookies. */
  static final long UPPER_HALF = 0xffffffff00000000L;

  private final Mdsal mdsal;

  /** A switch does not do what it is asked to. */
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String reason) {
      super(reason);
    }
  }

  SwitchCalls(Mdsal mdsal) {
    this.mdsal = mdsal;
  }

  private static NodeRef node(String datapath) {
    return Mdsal.reference(Datapaths.node(datapath));
  }

  /** Adds a permanent rule, in place of one with the same key. */
  CompletableFuture<?> addFlow(Rule.Key key, Treatment treatment, long cookie) {
    var input =
        new AddFlowInputBuilder()
            .setNode(node(key.datapath()))
            .setTableId(Uint8.valueOf(key.table()))
            .setPriority(Uint16.valueOf(key.priority()))
            .setMatch(FlowWriter.match(key))
            .setInstructions(FlowWriter.instructions(treatment))
            .setCookie(cookie(cookie))
            .setIdleTimeout(Uint16.ZERO)
            .setHardTimeout(Uint16.ZERO)
            .build();
    return call(() -> mdsal.rpc(AddFlow.class).invoke(input));
  }

  /** Removes one rule if it is there and has the same upper half of its cookie. */
  CompletableFuture<?> removeFlow(String datapath, Flow flow) {
    var input =
        new RemoveFlowInputBuilder()
            .setNode(node(datapath))
            .setTableId(Uint8.valueOf(flow.table()))
            .setPriority(Uint16.valueOf(flow.priority()))
            .setMatch(flow.match())
            .setStrict(true)
            .setCookie(cookie(flow.cookie() & UPPER_HALF))
            .setCookieMask(cookie(UPPER_HALF))
            .setOutPort(Uint64.valueOf(ANY))
            .setOutGroup(Uint32.valueOf(ANY))
            .build();
    return call(() -> mdsal.rpc(RemoveFlow.class).invoke(input));
  }

  private static FlowCookie cookie(long cookie) {
    return new FlowCookie(Uint64.fromLongBits(cookie));
  }

  CompletableFuture<?> addMeter(
      String datapath, long id, long kilobitsPerSecond, long burstKilobits) {
    var input =
        new AddMeterInputBuilder()
            .setNode(node(datapath))
            .setMeterId(new MeterId(Uint32.valueOf(id)))
            .setFlags(meterFlags())
            .setMeterBandHeaders(band(kilobitsPerSecond, burstKilobits))
            .build();
    return call(() -> mdsal.rpc(AddMeter.class).invoke(input));
  }

  CompletableFuture<?> changeMeter(
      String datapath, long id, long kilobitsPerSecond, long burstKilobits) {
    MeterId meterId = new MeterId(Uint32.valueOf(id));
    var input =
        new UpdateMeterInputBuilder()
            .setNode(node(datapath))
            .setOriginalMeter(new OriginalMeterBuilder().setMeterId(meterId).build())
            .setUpdatedMeter(
                new UpdatedMeterBuilder()
                    .setMeterId(meterId)
                    .setFlags(meterFlags())
                    .setMeterBandHeaders(band(kilobitsPerSecond, burstKilobits))
                    .build())
            .build();
    return call(() -> mdsal.rpc(UpdateMeter.class).invoke(input));
  }

  CompletableFuture<?> removeMeter(String datapath, long id) {
    var input =
        new RemoveMeterInputBuilder()
            .setNode(node(datapath))
            .setMeterId(new MeterId(Uint32.valueOf(id)))
            .build();
    return call(() -> mdsal.rpc(RemoveMeter.class).invoke(input));
  }

  /** Burst, kbit/s, not packet/s, statistics; OpenFlow 1.3.5, section 7.3.4.4. */
  private static MeterFlags meterFlags() {
    return new MeterFlags(true, true, false, true);
  }

  /** One band, which drops. */
  private static MeterBandHeaders band(long kilobitsPerSecond, long burstKilobits) {
    Uint32 rate = Uint32.valueOf(kilobitsPerSecond);
    Uint32 burst = Uint32.valueOf(burstKilobits);
    MeterBandHeader band =
        new MeterBandHeaderBuilder()
            .setBandId(new BandId(Uint32.ZERO))
            .setBandRate(rate)
            .setBandBurstSize(burst)
            .setMeterBandTypes(
                new MeterBandTypesBuilder().setFlags(new MeterBandType(true, false, false)).build())
            .setBandType(new DropBuilder().setDropRate(rate).setDropBurstSize(burst).build())
            .build();
    Map<MeterBandHeaderKey, MeterBandHeader> bands = Map.of(band.key(), band);
    return new MeterBandHeadersBuilder().setMeterBandHeader(bands).build();
  }

  /** Adds a select group that spreads evenly over ports. */
  CompletableFuture<?> addGroup(String datapath, long id, String name, List<Long> ports) {
    Map<BucketKey, Bucket> buckets = new LinkedHashMap<>();
    for (long port : ports) {
      BucketKey key = new BucketKey(new BucketId(Uint32.valueOf(buckets.size())));
      buckets.put(
          key,
          new BucketBuilder()
              .withKey(key)
              .setWeight(Uint16.ONE)
              .setWatchPort(Uint32.valueOf(ANY))
              .setWatchGroup(Uint32.valueOf(ANY))
              .setAction(FlowWriter.outputs(List.of(port)))
              .build());
    }
    var input =
        new AddGroupInputBuilder()
            .setNode(node(datapath))
            .setGroupId(new GroupId(Uint32.valueOf(id)))
            .setGroupName(name)
            .setGroupType(GroupTypes.GroupSelect)
            .setBuckets(new BucketsBuilder().setBucket(buckets).build())
            .build();
    return call(() -> mdsal.rpc(AddGroup.class).invoke(input));
  }

  CompletableFuture<?> removeGroup(String datapath, long id) {
    var input =
        new RemoveGroupInputBuilder()
            .setNode(node(datapath))
            .setGroupId(new GroupId(Uint32.valueOf(id)))
            .setGroupType(GroupTypes.GroupSelect)
            .build();
    return call(() -> mdsal.rpc(RemoveGroup.class).invoke(input));
  }

  /**
   * Has a switch say when everything before is done. Without it openflowplugin requests one only
   * every 500 ms (barrier-interval-timeout-limit), and what was sent counts as done no sooner.
   */
  CompletableFuture<?> barrier(String datapath) {
    var input = new SendBarrierInputBuilder().setNode(node(datapath)).build();
    return call(() -> mdsal.rpc(SendBarrier.class).invoke(input));
  }

  /** The rules of a switch, of all tables, whose cookies have these bits. */
  CompletableFuture<List<Flow>> flows(String datapath, long cookie, long mask) {
    var input =
        new GetFlowStatisticsInputBuilder()
            .setNode(node(datapath))
            .setStoreStats(false)
            .setTableId(ALL_TABLES)
            .setOutPort(Uint64.valueOf(ANY))
            .setOutGroup(Uint32.valueOf(ANY))
            .setCookie(cookie(cookie))
            .setCookieMask(cookie(mask))
            .build();
    return call(() -> mdsal.rpc(GetFlowStatistics.class).invoke(input))
        .thenApply(
            output ->
                output.nonnullFlowAndStatisticsMapList().stream()
                    .map(flow -> flow(datapath, flow))
                    .collect(toList()));
  }

  private static Flow flow(String datapath, FlowAndStatisticsMapList from) {
    int table = from.getTableId().toJava();
    int priority = from.getPriority().toJava();
    return new Flow(
        table,
        priority,
        from.getMatch(),
        from.getCookie().getValue().longValue(),
        FlowReader.match(from.getMatch())
            .map(match -> Rule.Key.of(datapath, table, priority, match)),
        FlowReader.treatment(from.getInstructions()),
        from.getPacketCount() == null ? 0 : from.getPacketCount().getValue().longValue());
  }

  /** The meters of a switch, or one of them. */
  CompletableFuture<List<Reading>> meters(String datapath, Optional<Long> id) {
    GetMeterStatisticsInputBuilder input =
        new GetMeterStatisticsInputBuilder().setNode(node(datapath)).setStoreStats(false);
    id.ifPresent(number -> input.setMeterId(new MeterId(Uint32.valueOf(number))));
    return call(() -> mdsal.rpc(GetMeterStatistics.class).invoke(input.build()))
        .thenApply(
            output ->
                output.nonnullMeterStats().values().stream()
                    .map(SwitchCalls::reading)
                    .collect(toList()));
  }

  private static Reading reading(MeterStats from) {
    var duration = from.getDuration();
    return Reading.meter(
        from.getMeterId().getValue().longValue(),
        from.getPacketInCount().getValue().longValue(),
        from.getByteInCount().getValue().longValue(),
        duration == null ? Reading.UNKNOWN_SECONDS : duration.getSecond().getValue().longValue(),
        duration == null ? 0 : duration.getNanosecond().getValue().longValue());
  }

  /** The ports of a switch but for reserved ones, or one of them. */
  CompletableFuture<List<Reading>> ports(String datapath, Optional<Long> number) {
    GetNodeConnectorStatisticsInputBuilder input =
        new GetNodeConnectorStatisticsInputBuilder().setNode(node(datapath)).setStoreStats(false);
    number.ifPresent(
        port -> input.setNodeConnectorId(FlowWriter.connector(Datapaths.nodeId(datapath), port)));
    return call(() -> mdsal.rpc(GetNodeConnectorStatistics.class).invoke(input.build()))
        .thenApply(
            output ->
                output.nonnullNodeConnectorStatisticsAndPortNumberMap().values().stream()
                    .flatMap(each -> reading(each).stream())
                    .collect(toList()));
  }

  private static Optional<Reading> reading(NodeConnectorStatisticsAndPortNumberMap from) {
    var duration = from.getDuration();
    return FlowReader.port(from.getNodeConnectorId().getValue())
        .map(
            number ->
                Reading.port(
                    number,
                    count(from.getPackets().getReceived()),
                    count(from.getBytes().getReceived()),
                    count(from.getPackets().getTransmitted()),
                    count(from.getBytes().getTransmitted()),
                    count(from.getTransmitDrops()),
                    duration == null
                        ? Reading.UNKNOWN_SECONDS
                        : duration.getSecond().getValue().longValue(),
                    duration == null ? 0 : duration.getNanosecond().getValue().longValue()));
  }

  private static long count(Uint64 counter) {
    return counter == null ? -1 : counter.longValue();
  }

  /** The numbers of the groups of a switch. */
  CompletableFuture<Set<Long>> groups(String datapath) {
    var input =
        new GetGroupStatisticsInputBuilder().setNode(node(datapath)).setStoreStats(false).build();
    return call(() -> mdsal.rpc(GetGroupStatistics.class).invoke(input))
        .thenApply(
            output ->
                output.nonnullGroupStats().values().stream()
                    .map(group -> group.getGroupId().getValue().longValue())
                    .collect(Collectors.toSet()));
  }

  /** The highest number of a meter that a switch takes; empty: it has not said. */
  CompletableFuture<Optional<Long>> maxMeter(String datapath) {
    CompletableFuture<Optional<Long>> done = new CompletableFuture<>();
    ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction();
    take(
        transaction.read(
            LogicalDatastoreType.OPERATIONAL,
            Datapaths.node(datapath).augmentation(NodeMeterFeatures.class)),
        done,
        found ->
            done.complete(
                found
                    .map(NodeMeterFeatures::getMeterFeatures)
                    .map(features -> features.getMaxMeter().getValue().longValue())));
    done.whenComplete((max, failure) -> transaction.close());
    return done;
  }

  private static <O> CompletableFuture<O> call(Supplier<ListenableFuture<RpcResult<O>>> call) {
    CompletableFuture<O> done = new CompletableFuture<>();
    try {
      take(
          call.get(),
          done,
          result -> {
            if (result.isSuccessful()) {
              done.complete(result.getResult());
            } else {
              done.completeExceptionally(failure(result.getErrors()));
            }
          });
    } catch (RuntimeException e) { // The switch, and with it the service, is not there.
      done.completeExceptionally(e);
    }
    return done;
  }

  private static <T> void take(
      ListenableFuture<T> result,
      CompletableFuture<?> done,
      java.util.function.Consumer<T> success) {
    Futures.addCallback(
        result,
        new FutureCallback<T>() {
          @Override
          public void onSuccess(T value) {
            success.accept(value);
          }

          @Override
          public void onFailure(Throwable failure) {
            done.completeExceptionally(failure);
          }
        },
        directExecutor());
  }

  private static Exception failure(Collection<? extends RpcError> errors) {
    String text = errors.stream().map(RpcError::getMessage).collect(Collectors.joining("; "));
    return text.contains(DEVICE_ERROR) ? new Refusal(text) : new IllegalStateException(text);
  }

  /** What made a stage of a call fail. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }
}
