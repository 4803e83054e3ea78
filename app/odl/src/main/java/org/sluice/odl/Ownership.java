// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl;

/** Is notified of which switches this node is the master. Called on any thread; must not block. */
public interface Ownership {

  /** This node is a switch's master from now on. */
  void won(String nodeId);

  /** Another node is, or none. */
  void lost(String nodeId);
}
