// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

/** Whether Sluice itself forwards the tenants' packets now. */
public interface ForwardingState {

  /** Advances whenever any of that changed. */
  Epoch epoch();

  /** True while Sluice's own rules hold; false while somebody else forwards. */
  boolean own();

  /**
   * True while switches spread flows over equal-cost ports by their own hash; false while all that
   * goes to a destination takes the path of {@link Topology#routedPath}.
   */
  boolean spreadsFlows();
}
