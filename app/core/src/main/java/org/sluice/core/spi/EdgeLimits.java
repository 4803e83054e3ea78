// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Collection;

/**
 * Limits that switches themselves hold endpoints to, at their edge ports. Only while Sluice
 * forwards; each node sees to the switches whose master it is.
 */
public interface EdgeLimits {

  /**
   * Replaces all limits; cheap if nothing changed. Soon afterwards switches hold to these, and to
   * no others.
   */
  void limit(Collection<EdgeLimit> limits);

  /** Whether a switch has refused to this node to take such limits, or no more of them. */
  boolean isRefusedBy(String datapath);
}
