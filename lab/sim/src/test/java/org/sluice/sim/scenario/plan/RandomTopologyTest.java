// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.sim.fabric.Fabric;
import org.sluice.sim.fabric.Fabric.Habit;
import org.sluice.sim.fabric.Fabric.Sender;
import org.sluice.sim.scenario.Fixtures;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.document.SchemaCheck;
import org.sluice.sim.scenario.run.Progress;
import org.sluice.sim.scenario.run.Run;
import org.sluice.sim.scenario.run.Runner;

/** Networks that are another one for each seed, in a scenario. */
class RandomTopologyTest {
  private static final ScenarioDocument RANDOM =
      Fixtures.read("random.yaml").variants().get(0).document();

  private static ScenarioDocument drawn(int seed) {
    return RandomTopology.with(RANDOM, RandomTopology.of(RANDOM, seed).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 20, 40, 60, 80})
  void documentIsValidAndCanBeBuilt(int from) {
    for (int seed = from + 1; seed <= from + 20; seed++) {
      int own = seed;
      assertThatCode(() -> new SchemaCheck().check(drawn(own)))
          .as("seed %d", seed)
          .doesNotThrowAnyException();
      Runner.check(Fixtures.read("random.yaml").withSeed(seed));
    }
  }

  @Test
  void sameSeedGivesTheSameDocument() {
    assertThat(drawn(5).root()).isEqualTo(drawn(5).root()).isNotEqualTo(drawn(6).root());
    assertThat(drawn(5).root().get("queues")).isEqualTo(RANDOM.root().get("queues"));
  }

  @Test
  void networkOfItsOwnIsNotDrawn() {
    ScenarioDocument tiny = Fixtures.tiny().variants().get(0).document();

    assertThat(RandomTopology.of(tiny, 1)).isEmpty();
  }

  @Test
  void everyEndpointThatSendsIsJudged() {
    List<Run> runs = new Runner(Fixtures.read("random.yaml").withSeed(3), Progress.SILENT).run(1);
    Fabric fabric = runs.get(0).fabric();

    assertThat(runs).hasSize(1);
    assertThat(runs.get(0).seed()).isEqualTo(3);
    // Who is silent all through so short a window is due nothing.
    assertThat(runs.get(0).endpoints())
        .extracting(each -> each.endpoint())
        .isSubsetOf(fabric.senders().stream().map(Sender::endpoint).toList())
        .containsAll(
            fabric.senders().stream()
                .filter(each -> each.habit() != Habit.ON_OFF)
                .map(Sender::endpoint)
                .toList());
    assertThat(runs.get(0).endpoints())
        .allMatch(each -> each.dueMegabits() >= 0 && each.gotMegabits() >= 0);
  }
}
