// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.ScenarioException;

/** Variants, and values set from outside. */
class ScenarioTest {
  private static Fields root(Variant variant) {
    return new Fields(variant.document(), KeyPath.ROOT);
  }

  @Test
  void expandsEveryValueOfEveryAxis() {
    Scenario scenario =
        Fixtures.tiny(
            "cases=[{a: {x: {seeds: 3}, y: {}}, b: {1: {duration: 1s}, 2: {}}}, {a: {z: {}}}]",
            "figures=[]",
            "plots=[]");

    assertThat(scenario.variants())
        .extracting(Variant::name)
        .containsExactly("x/1", "x/2", "y/1", "y/2", "z");
    assertThat(root(scenario.variants().get(0)).nanos("duration", 0)).isEqualTo(1_000_000_000L);
    assertThat(root(scenario.variants().get(3)).nanos("duration", 0)).isEqualTo(200_000_000L);
    assertThat(scenario.variants().get(1).values()).containsEntry("a", "x").containsEntry("b", "2");
  }

  @Test
  void refusesTwoCasesOfOneName() {
    assertThatThrownBy(() -> Fixtures.tiny("cases=[{a: {x: {}}}, {b: {x: {}}}]"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("two cases are called x");
  }

  @Test
  void settingsReplaceWhatAVariantSets() {
    Scenario scenario = Fixtures.tiny("law.name=hygenicc", "flows.steady.rate=10 Mbit/s");

    assertThat(scenario.variants())
        .allSatisfy(
            each -> {
              assertThat(root(each).at("law").text("name", "")).isEqualTo("hygenicc");
              assertThat(root(each).at("flows").at("steady").bitsPerSecond("rate", 0))
                  .isEqualTo(10_000_000);
            });
  }

  @Test
  void settingsAreValidatedBySchema() {
    assertThatThrownBy(() -> Fixtures.tiny("flows.steady.speed=1"))
        .isInstanceOf(ScenarioException.class)
        .hasMessage(
            "--set flows.steady.speed=1: flows.steady.speed: unknown key; allowed here: transport,"
                + " ecn, from, to, pairing, count, start, stop, deadline, registeredBefore,"
                + " startSpread, bytes, repeat, every, rate, packet, on, off, turns, gaps,"
                + " load, sizes");
    assertThatThrownBy(() -> Fixtures.tiny("duration=5"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageStartingWith("--set duration=5: duration: the value 5 is not possible");
  }

  @Test
  void settingsReachIntoListsAndQuotedKeys() {
    Scenario scenario =
        Fixtures.tiny("figures.1.atLeast=0.5", "cases.0.law.none.\"law.name\"=sdn-gcc");

    assertThat(scenario.figures().get(1).bounds().atLeast()).isEqualTo(0.5);
    assertThat(root(scenario.variants().get(0)).at("law").text("name", "")).isEqualTo("sdn-gcc");
  }

  @Test
  void rejectsSettingsOfUnknownKeys() {
    assertThatThrownBy(() -> Fixtures.tiny("duration.long=5s"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("nothing at duration that could hold a value");
    assertThatThrownBy(() -> Fixtures.tiny("figures.7.atLeast=1"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("figures.7");
    assertThatThrownBy(() -> Fixtures.tiny("duration"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("there is no key=value");
    assertThatThrownBy(() -> Fixtures.tiny("flows..rate=5s"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("empty part");
  }

  @Test
  void quickRunHasItsOwnSeedsAndCases() {
    Scenario quick = Fixtures.quick("tiny.yaml", null);
    Scenario chosen = Fixtures.quick("tiny.yaml", new Glob("sluice"), "seeds=5");

    assertThat(quick.runSeeds()).hasSize(1);
    assertThat(quick.chosen()).extracting(Variant::name).containsExactly("none");
    assertThat(chosen.runSeeds()).hasSize(5);
    assertThat(chosen.chosen()).extracting(Variant::name).containsExactly("sluice");
  }
}
