// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.BackgroundQueueStatus;
import org.sluice.api.queue.LevelQueue;
import org.sluice.api.queue.PortQueues;
import org.sluice.api.queue.QueueService;

/** One port's queues, one cap, and a background flow of tenant red and one of nobody. */
final class FakeQueues implements QueueService {
  private static final PortId DOWNSTREAM = PortId.parse("of:0000000000000002/1");

  List<PortQueues> queues =
      List.of(
          PortQueues.builder(FakeServices.PORT)
              .source(PortQueues.Source.PORT_AGENT)
              .capacityBitsPerSecond(50_000_000)
              .backlogPackets(14)
              .bufferPackets(36)
              .thresholdPackets(9)
              .capacityPackets(12)
              .ageMillis(3)
              .levels(
                  List.of(LevelQueue.of(0, 10, 1_500_000, 2), LevelQueue.of(1, 4, 30_000_000, 0)))
              .background(List.of(BackgroundQueueStatus.of(DOWNSTREAM, 4, 30_000_000, 25_000_000)))
              .build());

  List<ActiveCap> caps =
      List.of(
          ActiveCap.builder(FakeServices.PORT, DOWNSTREAM)
              .bitsPerSecond(25_000_000)
              .enforcer(ActiveCap.Enforcer.METER)
              .queuePackets(10)
              .thresholdPackets(9)
              .alpha(1 / 3.0)
              .beta(1)
              .floorBitsPerSecond(5_000_000)
              .flows(2)
              .endsInMillis(80)
              .build());

  List<BackgroundFlow> flows = new ArrayList<>();

  FakeQueues() {
    flows.add(
        flow(5001)
            .source(BackgroundFlow.Source.AGENT)
            .endpoint(Optional.of(EndpointId.of(HostId.of("h2"), "vm0")))
            .tenant(Optional.of(TenantId.of("red")))
            .ports(List.of(FakeServices.PORT, DOWNSTREAM))
            .build());
    flows.add(flow(5002).source(BackgroundFlow.Source.SFLOW).build());
  }

  private static BackgroundFlow.Builder flow(int port) {
    return BackgroundFlow.builder(
            FlowKey.of(IpAddress.parse("10.0.0.2"), 40_000, IpAddress.parse("10.0.0.5"), port))
        .endpoint(Optional.empty())
        .tenant(Optional.empty())
        .sentBytes(1_000_000)
        .sentBitsPerSecond(20_000_000)
        .ageMillis(400);
  }

  /** Whatever may be missing is. */
  void makePlain() {
    queues =
        List.of(
            PortQueues.builder(FakeServices.PORT)
                .source(PortQueues.Source.ESTIMATED)
                .capacityBitsPerSecond(50_000_000)
                .backlogPackets(14)
                .errorPackets(5)
                .bufferPackets(0)
                .thresholdPackets(0)
                .capacityPackets(0)
                .ageMillis(3)
                .background(List.of(BackgroundQueueStatus.of(DOWNSTREAM, 4, 30_000_000, 0)))
                .build());
    caps =
        List.of(
            ActiveCap.builder(FakeServices.PORT, DOWNSTREAM)
                .bitsPerSecond(25_000_000)
                .enforcer(ActiveCap.Enforcer.NONE)
                .queuePackets(10)
                .thresholdPackets(9)
                .alpha(0)
                .beta(0)
                .floorBitsPerSecond(0)
                .flows(2)
                .endsInMillis(80)
                .build());
    flows.remove(0);
  }

  @Override
  public List<PortQueues> queues() {
    return queues;
  }

  @Override
  public Optional<PortQueues> queues(PortId port) {
    return queues.stream().filter(one -> one.port().equals(port)).findFirst();
  }

  @Override
  public List<BackgroundFlow> backgroundFlows() {
    return flows;
  }

  @Override
  public List<ActiveCap> caps() {
    return caps;
  }

  @Override
  public List<Long> levelThresholdsBytes() {
    return List.of(4_096L, 16_384L);
  }
}
