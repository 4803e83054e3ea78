// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

/** Topics for which the cluster elects one node. */
public final class Topics {
  /** Its leader publishes endpoint policies and decides about registrations that others made. */
  public static final String POLICY = "sluice-policy";

  private Topics() {}
}
