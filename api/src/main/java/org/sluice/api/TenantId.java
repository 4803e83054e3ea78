// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** Names a tenant. */
public final class TenantId implements Comparable<TenantId> {
  /** The tenant of every endpoint that no membership names: weight 1, no guarantee. */
  public static final TenantId DEFAULT = new TenantId("default");

  private final String name;

  private TenantId(String name) {
    this.name = name;
  }

  /**
   * The identifier of this name.
   *
   * @throws IllegalArgumentException unless the name has the form of 1 to 63 letters, digits, '.',
   *     '_' or '-', such as t1
   */
  public static TenantId of(String name) {
    return new TenantId(Names.checked(name, "TenantId", "t1"));
  }

  /** The name itself. */
  public String name() {
    return name;
  }

  @Override
  public int compareTo(TenantId other) {
    return name.compareTo(other.name);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TenantId && name.equals(((TenantId) other).name);
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
