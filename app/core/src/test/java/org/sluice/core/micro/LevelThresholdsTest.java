// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndedFlows;
import org.sluice.api.link.HostSettings;

/** The sizes at which flows leave a level, from reports of hosts to what hosts are sent. */
class LevelThresholdsTest {
  private final QueueNetwork at = new QueueNetwork("n1");

  private List<HostSettings> settings(String host) {
    return at.node()
        .link
        .sentTo(HostId.of(host), DownlinkMessage.Kind.SETTINGS, DownlinkMessage::settings);
  }

  private List<Long> sent() {
    List<HostSettings> all = settings("h4");
    return all.get(all.size() - 1).levelThresholdsBytes();
  }

  private void ended(String host, long bytes, int flows) {
    at.report(host, List.of(), List.of(EndedFlows.of(bytes, flows)));
  }

  private List<JournalEntry> journaled() {
    return new ArrayList<>(at.node().journal.entries(-1, java.util.Optional.empty(), 1000))
        .stream()
            .filter(entry -> entry.kind() == JournalEntry.Kind.LEVELS)
            .collect(Collectors.toList());
  }

  @Test
  void hostsReceiveTunedThresholds() {
    at.start("levelThresholds", "tuned", "levels", "3");
    assertThat(settings("h1").get(0).reportFlowSizes()).isTrue();
    assertThat(sent()).isEmpty();

    ended("h1", 2_000, 300);
    ended("h2", 100_000, 100);
    at.passMillis(1100);
    assertThat(sent()).as("three quarters end in the first level").containsExactly(2047L, 16_000L);
    assertThat(at.node().controller().queues().levelThresholdsBytes()).isEqualTo(sent());
    assertThat(journaled()).hasSize(1);
    assertThat(journaled().get(0).decision()).contains("[2047, 16000]");
    assertThat(journaled().get(0).evidence()).contains("as agents are configured", "400 flows");

    int sent = settings("h1").size();
    ended("h1", 1_900, 300);
    at.passMillis(1100);
    assertThat(settings("h1")).as("as good as the same").hasSize(sent);
    ended("h1", 100_000, 1000);
    at.passMillis(1100);
    assertThat(sent()).containsExactly(114_687L, 114_688L);
    assertThat(journaled()).hasSize(2);

    at.node().set("levelThresholds", "agents");
    at.passMillis(100);
    assertThat(sent()).isEmpty();
  }

  @Test
  void twoLevelsAreNotTuned() {
    at.start("levelThresholds", "tuned", "levels", "2", "backgroundKilobytes", "20");
    at.passMillis(100);
    assertThat(sent()).containsExactly(20_000L);
  }

  /** As agents take them: else they would refuse all of their settings. */
  @Test
  void thresholdsIncreaseByLevelAndAreBounded() {
    at.start("levelThresholds", "tuned", "levels", "4");
    ended("h1", Long.MAX_VALUE, 1000);
    at.passMillis(1100);
    long most = HostSettings.MOST_LEVEL_THRESHOLD_BYTES;
    assertThat(sent()).containsExactly(most - 2, most - 1, most);
    for (int i = 0; i < 60; i++) {
      ended("h1", 0, 1000);
      at.passMillis(1000);
    }
    assertThat(sent()).containsExactly(1L, 2L, 16_000L);
  }

  @Test
  void singleHostDoesNotDominateTuning() {
    at.start("levelThresholds", "tuned", "levels", "3");
    ended("h1", 1_000_000, 1 << 20);
    ended("h2", 2_000, 900);
    ended("h3", 2_000, 900);
    ended("h4", 2_000, 900);
    at.passMillis(1100);
    assertThat(sent()).containsExactly(2047L, 16_000L);
  }

  @Test
  void thresholdsStayAsConfiguredByDefault() {
    at.start("caps", "sluice");
    ended("h1", 2_000, 1000);
    at.passMillis(2100);
    assertThat(sent()).isEmpty();
    assertThat(journaled()).isEmpty();
  }
}
