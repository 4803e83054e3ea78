// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

/** What remedies have an operator type: in a controller's shell, or with {@code sluicectl}. */
public enum OperatorCommand {
  SET_TENANT("sluice-tenant-set %s", "sluicectl set tenant %s"),
  REMOVE_TENANT("sluice-tenant-remove %s", "sluicectl delete tenant %s"),
  RETIRE_HOST("sluice-host-retire %s", "sluicectl delete host %s"),
  LIST_ENDPOINTS("sluice-endpoints", "sluicectl get endpoints"),
  EXAMINE_NODE("sluice-doctor in the shell of node %s", "sluicectl doctor with the server %s");

  private final String inShell;
  private final String withSluicectl;

  OperatorCommand(String inShell, String withSluicectl) {
    this.inShell = inShell;
    this.withSluicectl = withSluicectl;
  }

  /** As Karaf's shell has it. */
  public String inShell(String what) {
    return String.format(inShell, what);
  }

  /** Where there is no shell. */
  public String withSluicectl(String what) {
    return String.format(withSluicectl, what);
  }
}
