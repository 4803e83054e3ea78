// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.sim.scenario.document.Problem;
import org.sluice.sim.scenario.document.ScenarioException;
import org.sluice.sim.scenario.run.Runner;

/**
 * Each {@code invalid-*.yaml} has in its second line what is to be reported: line, key, complaint
 * and remedy.
 */
class InvalidScenariosTest {
  static List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(Fixtures.directory())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("invalid-"))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void isRefusedWithLineKeyAndRemedy(String file) {
    String[] expected =
        Fixtures.text(file)
            .lines()
            .skip(1)
            .findFirst()
            .orElseThrow()
            .split(": ", 2)[1]
            .split("\\|");

    ScenarioException refusal =
        catchThrowableOfType(ScenarioException.class, () -> Runner.check(Fixtures.read(file)));

    assertThat(refusal).as("%s is accepted", file).isNotNull();
    Problem problem = refusal.problems().get(0);
    assertThat(problem.origin()).hasToString(file + ":" + expected[0]);
    assertThat(problem.key()).isEqualTo(expected[1]);
    assertThat(problem.complaint()).contains(expected[2]);
    assertThat(problem.remedy()).contains(expected[3]);
  }
}
