// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import java.util.regex.Pattern;

/** Names of variants: {@code *} stands for any text; several with commas. */
public record Glob(String text) {
  public static final Glob ALL = new Glob("*");

  public boolean matches(String name) {
    for (String part : text.split(",")) {
      String regex = Pattern.quote(part.strip()).replace("*", "\\E.*\\Q");
      if (name.matches(regex)) {
        return true;
      }
    }
    return false;
  }
}
