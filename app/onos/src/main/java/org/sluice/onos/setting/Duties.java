// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

/** What one node of the cluster does for all. */
public final class Duties {
  /** Whoever leads this topic speaks about endpoints. */
  public static final String POLICY = "sluice-policy";

  private Duties() {}
}
