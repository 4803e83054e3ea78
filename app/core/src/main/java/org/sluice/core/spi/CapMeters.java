// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Collection;
import org.sluice.api.PortId;

/**
 * Meters by which switches hold back background traffic towards ports of the next switch. Only
 * while Sluice forwards; each node sees to the switches whose master it is.
 */
public interface CapMeters {

  /**
   * Replaces all meters; cheap if nothing changed. A meter is made once, and its rate changed in
   * place, unless its switch refuses that. Soon afterwards switches have these, and no others.
   */
  void set(Collection<CapMeter> meters);

  /** Whether a switch has refused to this node to take such meters, or no more of them. */
  boolean isRefusedBy(String datapath);

  /**
   * Whether a meter of {@link #set} holds nothing back, as far as this node knows by now: its
   * switch spreads the destinations over several ports, or takes no such meter, or no more of them.
   */
  default boolean isOutOfReach(PortId upstream, PortId downstream) {
    return isRefusedBy(upstream.datapath());
  }
}
