// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** Names a host: a hypervisor that runs the agent, as its certificate does. */
public final class HostId implements Comparable<HostId> {
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
    return new HostId(Names.checked(name, "HostId", "h1"));
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
