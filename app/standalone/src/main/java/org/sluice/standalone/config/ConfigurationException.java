// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.config;

import java.util.List;

/** A file that cannot be used, with everything that is wrong in it. */
public final class ConfigurationException extends Exception {
  private final List<String> problems;

  /** Each problem a line with file, line, field, value and remedy. */
  public ConfigurationException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  public ConfigurationException(String problem) {
    this(List.of(problem));
  }

  public List<String> problems() {
    return problems;
  }
}
