// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Objects;
import java.util.regex.Pattern;

/** The one form that operators' names for hosts and tenants have. */
final class Names {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  private Names() {}

  /**
   * The name, checked.
   *
   * @param kind what it names, for the message
   * @param example a name of that kind, for the message
   * @throws IllegalArgumentException unless it has 1 to 63 letters, digits, '.', '_' or '-'
   */
  static String checked(String name, String kind, String example) {
    Objects.requireNonNull(name, "name");
    if (!FORM.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is no "
              + kind
              + ": expected 1 to 63 letters, digits, '.', '_' or '-', such as "
              + example);
    }
    return name;
  }
}
