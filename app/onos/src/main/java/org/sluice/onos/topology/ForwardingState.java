// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

/** Whether Sluice itself forwards the tenants' packets now. */
public interface ForwardingState {

  /** Advances whenever that changed. */
  Epoch epoch();

  /** True while Sluice's own rules hold; false while somebody else forwards. */
  boolean own();
}
