// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

/** Whether Sluice itself forwards the tenants' packets now. */
public interface ForwardingState {

  /** Advances whenever any of that changed. */
  Epoch epoch();

  /** True while Sluice's own rules hold; false while somebody else forwards. */
  boolean own();

  /**
   * True while switches spread flows over equally good ports by their own hash; false while all
   * that goes to a destination takes the way that {@link Ways} says.
   */
  boolean spreadsFlows();
}
