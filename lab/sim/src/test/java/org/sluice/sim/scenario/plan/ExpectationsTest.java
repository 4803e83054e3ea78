// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;
import org.sluice.sim.scenario.document.ScenarioException;

/** Numbers in a file beside a scenario. */
class ExpectationsTest {
  private static Setting figures(String expected) {
    return Expectations.figures(
        "tiny.yaml", Fixtures.text("tiny.yaml"), "tiny.expected.json", expected);
  }

  @Test
  void numbersBecomeFiguresBesideTheScenariosOwn() {
    String text = Fixtures.text("tiny.yaml").replace("  elastic: {kind", "  steadyMax: {kind");
    Setting setting =
        Expectations.figures("tiny.yaml", text, "tiny.expected.json", "{\"steady\": 40.5}");
    Scenario scenario = Scenario.read("tiny.yaml", text, List.of(setting), false, null);

    assertThat(scenario.figures()).hasSize(4);
    FigureSpec last = scenario.figures().get(3);
    assertThat(scenario.figures().get(2).metric()).isEqualTo("steady");
    assertThat(last.metric()).isEqualTo("steadyMax");
    assertThat(last.paper("none")).hasValue(40.5);
    assertThat(last.tolerance()).isEqualTo(0.04);
    assertThat(last.everySeed()).isTrue();
  }

  @Test
  void whatIsNotMeasuredIsRefused() {
    assertThatThrownBy(() -> figures("{\"unsteady\": 1}"))
        .isInstanceOf(ScenarioException.class)
        .hasMessage(
            "tiny.expected.json: unsteady: this is not a number of something that is measured;"
                + " give a number, and measure unsteady or unsteadyMean");
  }
}
