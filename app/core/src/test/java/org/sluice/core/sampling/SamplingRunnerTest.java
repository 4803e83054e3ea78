// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.core.micro.SampledFlow;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.testing.FakeSamples;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

class SamplingRunnerTest {
  private static final String SWITCH = "192.0.2.1";
  private static final IpAddress SOURCE = IpAddress.parse("10.0.0.1");
  private static final IpAddress DESTINATION = IpAddress.parse("10.0.0.2");

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2).connect("s2", 1, 2).link("s1/2", "s2/2");
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final FakeSamples samples = node.samples;

  private static FlowKey flow(int port) {
    return FlowKey.of(SOURCE, port, DESTINATION, 80);
  }

  private void start(Object... settings) {
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    node.set(settings).start();
    network.time.advanceMillis(10);
  }

  private void set(Object... settings) {
    node.set(settings);
    network.time.advanceMillis(10);
  }

  private List<BackgroundFlow> shown() {
    network.time.advanceMillis(1_100);
    return node.controller().queues().backgroundFlows();
  }

  private List<String> journal() {
    return node.journal.entries(-1, Optional.empty(), 100).stream()
        .map(entry -> entry.decision() + "; " + entry.evidence())
        .filter(entry -> entry.contains("sFlow datagrams"))
        .collect(Collectors.toList());
  }

  private List<Finding> findings() {
    return node.controller().doctor().examine().stream()
        .filter(finding -> finding.about().equals("sflow"))
        .collect(Collectors.toList());
  }

  @Test
  void nothingIsCollectedWithoutAConfiguredPort() {
    start();
    assertThat(samples.opened).isEmpty();
    assertThat(findings()).isEmpty();

    set("sflowPort", 6343);
    assertThat(samples.opened).hasSize(1);
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Finding.Severity.NOTE);
              assertThat(finding.what()).contains("sflowAgents is empty");
            });

    set("sflowPort", 0);
    assertThat(samples.isOpen()).isFalse();
    assertThat(findings()).isEmpty();
  }

  @Test
  void changedSettingReplacesTheCollector() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    assertThat(samples.opened.get(0).get(SettingTable.SFLOW_AGENTS))
        .containsExactly(IpAddress.parse(SWITCH));
    assertThat(findings()).isEmpty();

    set("sflowAgents", SWITCH + ",192.0.2.2");
    set("sflowAddress", "127.0.0.1");
    set("backgroundKilobytes", 32);
    set("sflowPort", 6344);
    assertThat(samples.opened).hasSize(5);
    assertThat(samples.opened.get(4).get(SettingTable.SFLOW_PORT)).isEqualTo(6344);

    set("controlPeriodMillis", 10);
    assertThat(samples.opened).hasSize(5);
  }

  @Test
  void occupiedUdpPortIsReportedOnceAndRetried() {
    samples.refuse(2);
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Finding.Severity.ERROR);
              assertThat(finding.what()).contains("The port is taken. Choose another one");
              assertThat(finding.remedy()).contains("set sflowPort PORT");
            });
    network.time.advanceMillis(6_000);
    assertThat(samples.isOpen()).isFalse();
    assertThat(journal()).hasSize(1);

    network.time.advanceMillis(6_000);

    assertThat(samples.isOpen()).isTrue();
    assertThat(findings()).isEmpty();
    assertThat(journal()).hasSize(2);
  }

  @Test
  void failedCollectorIsReplaced() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    samples.fail();
    network.time.advanceMillis(6_000);
    assertThat(samples.opened).hasSize(2);
    assertThat(samples.isOpen()).isTrue();
  }

  @Test
  void withdrawalStopsIt() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    node.settings.withdraw();
    assertThat(samples.isOpen()).isFalse();
    network.time.advanceMillis(6_000);
    set("sflowPort", 6344);
    assertThat(samples.opened).hasSize(1);
    node.stop();
  }

  @Test
  void stoppingStopsIt() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    node.stop();
    assertThat(samples.isOpen()).isFalse();
  }

  @Test
  void sampledFlowsAreShownWhileCapsAreOff() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    samples.report(SampledFlow.sends(flow(1), 50_000), SampledFlow.sends(flow(2), 1_000));
    network.time.advanceMillis(5);
    network.time.advanceMillis(990);
    samples.report(SampledFlow.sends(flow(1), 60_000));
    network.time.advanceMillis(500);

    BackgroundFlow shown = node.controller().queues().backgroundFlows().get(0);
    assertThat(node.controller().queues().backgroundFlows()).hasSize(1);
    assertThat(shown.flow()).isEqualTo(flow(1));
    assertThat(shown.source()).isEqualTo(BackgroundFlow.Source.SFLOW);
    assertThat(shown.sentBytes()).isBetween(50_000L, 60_000L);

    samples.report(SampledFlow.ended(flow(1)));
    assertThat(shown()).isEmpty();
  }

  @Test
  void flowsBeyondTheInboxAreDroppedAndCounted() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    network.time.advanceMillis(6_000);
    samples.report(
        IntStream.rangeClosed(1, 4_106)
            .mapToObj(port -> SampledFlow.sends(flow(port), 50_000))
            .toArray(SampledFlow[]::new));
    network.time.advanceMillis(5);
    samples.report(SampledFlow.sends(flow(5_000), 50_000));
    network.time.advanceMillis(990);
    assertThat(node.controller().queues().backgroundFlows()).hasSize(4_097);

    network.time.advanceMillis(6_000);
    assertThat(findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.what()).contains("10 reports of flows ignored"));
  }

  @Test
  void lossesAreAFindingForAMinute() {
    start("sflowPort", 6343, "sflowAgents", SWITCH);
    samples.counts =
        SampleCounts.of(
            Map.of(SampleLoss.FOREIGN, 3L),
            Map.of(SampleLoss.FOREIGN, IpAddress.parse("192.0.2.9")),
            false);
    network.time.advanceMillis(6_000);
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
              assertThat(finding.what()).contains("3 datagrams").contains("192.0.2.9");
              assertThat(finding.remedy()).contains("set sflowAgents 192.0.2.1,192.0.2.9");
            });
    network.time.advanceMillis(70_000);
    assertThat(findings()).isEmpty();
  }
}
