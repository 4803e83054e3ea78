// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.micro.QueueNetwork.P1;
import static org.sluice.core.micro.QueueNetwork.P2;
import static org.sluice.core.testing.Samples.port;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.PortThresholds;

/** Marking thresholds of port agents, divided by a whole node in virtual time. */
class ThresholdDividerTest {
  private static final int BUFFER = 100;

  private final QueueNetwork at = new QueueNetwork("n1");

  /** A port's queues report what waits, in levels where there are several. */
  private void report(HostId agent, String port, int threshold, int... waiting) {
    List<LevelQueueSample> levels =
        Arrays.stream(waiting)
            .mapToObj(packets -> LevelQueueSample.of(0, 0, 0, packets))
            .collect(Collectors.toList());
    at.reportQueue(
        agent,
        PortQueueSample.of(port(port), 0, 0, 0, 0, 0, Arrays.stream(waiting).sum(), 0)
            .withMarkThreshold(threshold)
            .with(BUFFER, levels.size() > 1 ? levels : List.of(), List.of()));
    at.pass(1);
  }

  private List<PortThresholds> sent(HostId agent) {
    return at.node().link.sent.stream()
        .filter(each -> each.host.equals(agent))
        .map(each -> each.message)
        .filter(message -> message.kind() == DownlinkMessage.Kind.MARKING_THRESHOLDS)
        .flatMap(message -> message.markingThresholds().stream())
        .collect(Collectors.toList());
  }

  private PortThresholds last(HostId agent) {
    List<PortThresholds> all = sent(agent);
    return all.get(all.size() - 1);
  }

  private void start(String scope) {
    at.start("thresholdDivision", scope).connectPortAgents();
  }

  @Test
  void nothingIsDividedByDefault() {
    at.start().connectPortAgents();
    report(P1, "s1/2", 10, 9, 1);
    assertThat(sent(P1)).isEmpty();
  }

  /** Two levels marking above 10: 20 packets, of which sqrt(9) : sqrt(1) = 15 : 5. */
  @Test
  void levelsOfAPortShareItsThresholds() {
    start("port");
    report(P1, "s1/2", 10, 9, 1);
    assertThat(last(P1))
        .isEqualTo(PortThresholds.of(port("s1/2"), List.of(15, 5), ThresholdDivider.HOLD_NANOS));
    assertThat(sent(P2)).as("its ports do not mark").isEmpty();
  }

  /** 8 + 8 packets, of which sqrt(4) : sqrt(0) would be 16 : 0, but an idle queue keeps 2. */
  @Test
  void portsOfASwitchShareTheirThresholds() {
    start("switch");
    report(P2, "s2/3", 8, 4);
    report(P2, "s2/4", 8, 0);
    assertThat(last(P2)).extracting(PortThresholds::port).isEqualTo(port("s2/4"));
    assertThat(last(P2).packets()).containsExactly(2);
    List<PortThresholds> all = sent(P2);
    assertThat(all.get(all.size() - 2).packets()).containsExactly(14);
  }

  @Test
  void singlePortKeepsItsThresholds() {
    start("port");
    report(P2, "s2/3", 8, 4);
    report(P2, "s2/4", 8, 0);
    assertThat(sent(P2)).isEmpty();
  }

  /** Q is the average of readings, weight 1/8: after 8 and 0 it is 7/8 of that, and 1/8 of 8. */
  @Test
  void divisionUsesAverageLengthsAndKeepsUnmarkedBacklogUnmarked() {
    start("port");
    report(P1, "s1/2", 10, 8, 0);
    assertThat(last(P1).packets()).containsExactly(18, 2);
    // sqrt(7/8) : sqrt(1), of 20: 9.67 : 10.33.
    report(P1, "s1/2", 10, 0, 8);
    assertThat(last(P1).packets()).containsExactly(9, 10);
  }

  @Test
  void thresholdsAreRenewedWhileQueuesReportAndEndWithThem() {
    start("port");
    report(P1, "s1/2", 10, 9, 1);
    int first = sent(P1).size();
    for (int i = 0; i < 40; i++) {
      report(P1, "s1/2", 10, 9, 1);
    }
    assertThat(sent(P1)).as("unchanged for 200 ms").hasSize(first);
    for (int i = 0; i < 40; i++) {
      report(P1, "s1/2", 10, 9, 1);
    }
    assertThat(sent(P1)).hasSize(first + 1);
    at.passMillis(5_000);
    assertThat(sent(P1)).as("the agent ends them").hasSize(first + 1);
  }

  @Test
  void divisionEndsWhenDisabled() {
    start("port");
    report(P1, "s1/2", 10, 9, 1);
    at.node().set("thresholdDivision", "off");
    at.pass(2);
    int before = sent(P1).size();
    report(P1, "s1/2", 10, 1, 9);
    assertThat(sent(P1)).hasSize(before);
  }

  @Test
  void onlyTheMasterOfTheSwitchSends() {
    start("port");
    at.network.setMaster("s1", "n2");
    at.pass(2);
    int before = sent(P1).size();
    report(P1, "s1/2", 10, 1, 9);
    assertThat(sent(P1)).hasSize(before);
  }

  @Test
  void portOfAnotherAgentIsNotUsed() {
    start("port");
    report(P2, "s1/2", 10, 9, 1);
    assertThat(sent(P1)).isEmpty();
    assertThat(sent(P2)).isEmpty();
  }
}
