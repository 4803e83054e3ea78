// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.OptionalLong;

/** Election of one node of the cluster for a topic. */
public interface Leadership {

  /** Advances whenever a topic may have another leader. */
  Epoch epoch();

  /** This node is a candidate from now on. */
  void run(String topic);

  /** This node is no candidate any longer. */
  void withdraw(String topic);

  /** The number of this node's leadership of a topic; empty while it is not the leader. */
  OptionalLong localTerm(String topic);

  /** Whether this node leads a topic now. */
  default boolean isLocal(String topic) {
    return localTerm(topic).isPresent();
  }

  /**
   * Whether nobody is known to lead a topic: nobody is elected, or this node cannot find out. The
   * epoch advances when somebody is again.
   */
  default boolean isVacant(String topic) {
    return false;
  }
}
