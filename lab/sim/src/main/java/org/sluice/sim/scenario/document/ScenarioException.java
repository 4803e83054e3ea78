// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import java.util.List;
import java.util.stream.Collectors;

/** A scenario cannot be run as it is written. Its message has one line per problem. */
public final class ScenarioException extends RuntimeException {
  private final transient List<Problem> problems;

  public ScenarioException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  public ScenarioException(Problem problem) {
    this(List.of(problem));
  }

  public List<Problem> problems() {
    return problems;
  }
}
