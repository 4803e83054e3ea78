// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl;

/** A place that one node of the cluster has. Called on any thread. */
public interface Singleton {

  /** Unique in the cluster. */
  String name();

  /** This node has it from now on. */
  void won();

  /** This node has it no longer. */
  void lost();
}
