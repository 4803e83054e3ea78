// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

/** Topics for which the cluster elects one node. */
public final class Topics {
  /**
   * Its leader decides what one node decides for the whole cluster: endpoints' profiles, who holds
   * an address, certificates, registrations that others made. The name is that of earlier releases,
   * whose nodes elect the same leader while they are replaced.
   */
  public static final String CLUSTER = "sluice-policy";

  private Topics() {}
}
