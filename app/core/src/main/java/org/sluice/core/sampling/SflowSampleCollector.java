// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.core.micro.SampledFlow;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.sflow.FlowEstimate;
import org.sluice.sflow.SflowCollector;
import org.sluice.sflow.SflowConfig;
import org.sluice.sflow.SflowCounts;

/** The true collector. */
public final class SflowSampleCollector implements SampleCollector {
  private static final long BYTES_PER_KILOBYTE = 1000;

  private final SflowCollector collector;
  private final int wantedBufferBytes;

  private SflowSampleCollector(SflowCollector collector, int wantedBufferBytes) {
    this.collector = collector;
    this.wantedBufferBytes = wantedBufferBytes;
  }

  /** Awaits sFlow datagrams on a UDP port. */
  public static SampleCollector start(Parameters parameters, Consumer<List<SampledFlow>> sink)
      throws SluiceException {
    SflowConfig config =
        SflowConfig.builder()
            .port(parameters.get(SettingTable.SFLOW_PORT))
            .address(parameters.get(SettingTable.SFLOW_ADDRESS))
            .agents(Set.copyOf(parameters.get(SettingTable.SFLOW_AGENTS)))
            .thresholdBytes(BYTES_PER_KILOBYTE * parameters.get(SettingTable.BACKGROUND_KILOBYTES))
            .build();
    SflowCollector started = SflowCollector.start(config, flows -> sink.accept(seen(flows)));
    return new SflowSampleCollector(started, config.receiveBufferBytes());
  }

  private static List<SampledFlow> seen(List<FlowEstimate> flows) {
    List<SampledFlow> seen = new ArrayList<>(flows.size());
    for (FlowEstimate flow : flows) {
      seen.add(
          flow.state() == FlowEstimate.State.ACTIVE
              ? SampledFlow.sends(flow.flow(), flow.sentBytes())
              : SampledFlow.ended(flow.flow()));
    }
    return seen;
  }

  @Override
  public boolean isListening() {
    return collector.isListening();
  }

  @Override
  public SampleCounts counts() {
    SflowCounts counts = collector.counts();
    Map<SampleLoss, Long> lost = new EnumMap<>(SampleLoss.class);
    lost.put(SampleLoss.FOREIGN, counts.foreign());
    lost.put(SampleLoss.OVER_QUOTA, counts.overQuota());
    lost.put(SampleLoss.MALFORMED, counts.allMalformed());
    lost.put(SampleLoss.MALFORMED_SAMPLE, counts.allMalformedSamples());
    lost.put(SampleLoss.KERNEL, counts.kernelDropped().orElse(0));
    Map<SampleLoss, IpAddress> senders = new EnumMap<>(SampleLoss.class);
    counts.lastForeign().ifPresent(sender -> senders.put(SampleLoss.FOREIGN, sender));
    counts.lastOverQuota().ifPresent(sender -> senders.put(SampleLoss.OVER_QUOTA, sender));
    counts
        .lastMalformed()
        .ifPresent(
            sender -> {
              senders.put(SampleLoss.MALFORMED, sender);
              senders.put(SampleLoss.MALFORMED_SAMPLE, sender);
            });
    return SampleCounts.of(lost, senders, counts.receiveBufferBytes() < wantedBufferBytes);
  }

  @Override
  public void close() {
    collector.close();
  }
}
