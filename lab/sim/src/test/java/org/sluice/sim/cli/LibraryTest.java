// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.run.Runner;

/** The scenarios that come with the simulator. */
class LibraryTest {
  private static final Library LIBRARY = new Library(Path.of("scenarios"));

  static Stream<String> names() throws IOException {
    return LIBRARY.names().stream();
  }

  @Test
  void hasScenariosForThePapersFigures() throws IOException {
    assertThat(LIBRARY.names())
        .containsAll(
            List.of(
                "gcc-fig1",
                "gcc-fig4",
                "gcc-fig5",
                "gcc-fig6",
                "gcc-fig8",
                "gcc-periods",
                "hygenicc-fig4",
                "leaf-spine-1024"));
  }

  @ParameterizedTest
  @MethodSource("names")
  void canBeReadAndBuilt(String name) throws IOException {
    Path file = LIBRARY.find(name);
    for (boolean quick : new boolean[] {false, true}) {
      Scenario scenario = Scenario.read(name, Files.readString(file), List.of(), quick, null);

      assertThat(scenario.name()).isEqualTo(name);
      assertThat(scenario.chosen()).isNotEmpty();
      assertThat(scenario.figures()).isNotEmpty();
      Runner.check(scenario);
    }
  }
}
