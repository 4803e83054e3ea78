// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Arrays;
import java.util.Optional;

/** The control laws that limit senders, by what they are called in a configuration. */
public enum Law {
  /** Sluice's own two-time-scale law: unit shares from the controller, a fast loop in hosts. */
  SLUICE("sluice"),
  /** SDN-GCC as published: notices from the controller; hosts cut and recover. */
  SDN_GCC("sdn-gcc"),
  /** HyGenICC as published: hosts alone, without a controller. */
  HYGENICC("hygenicc");

  private final String configurationName;

  Law(String configurationName) {
    this.configurationName = configurationName;
  }

  /** As an operator writes it. */
  public String configurationName() {
    return configurationName;
  }

  /** The law of a configuration name; empty if there is none. */
  public static Optional<Law> parse(String name) {
    return Arrays.stream(values()).filter(law -> law.configurationName.equals(name)).findFirst();
  }
}
