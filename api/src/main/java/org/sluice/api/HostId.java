// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Objects;
import java.util.regex.Pattern;

/** Names a host: a hypervisor that runs the agent, as its certificate does. */
public final class HostId implements Comparable<HostId> {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  private final String name;

  private HostId(String name) {
    this.name = name;
  }

  /**
   * The identifier of this name.
   *
   * @throws IllegalArgumentException unless the name has the form of 1 to 63 letters, digits, '.',
   *     '_' or '-', such as h1
   */
  public static HostId of(String name) {
    Objects.requireNonNull(name, "name");
    if (!FORM.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is no HostId: expected 1 to 63 letters, digits, '.', '_' or '-', such as h1");
    }
    return new HostId(name);
  }

  /** The name itself. */
  public String name() {
    return name;
  }

  @Override
  public int compareTo(HostId other) {
    return name.compareTo(other.name);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostId && name.equals(((HostId) other).name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}
