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
   * place. Soon afterwards switches have these, and no others.
   */
  void set(Collection<CapMeter> meters);

  /** Whether a switch has refused to this node to take such meters, or no more of them. */
  boolean isRefusedBy(String datapath);

  /**
   * Whether this node has a switch hold back what one of its ports sends towards a port of the next
   * switch: a meter of {@link #set} stands, and traffic goes through it. Not where a destination's
   * traffic is spread over several ports, and not yet just after {@link #set}.
   */
  default boolean holds(PortId upstream, PortId downstream) {
    return !isRefusedBy(upstream.datapath());
  }
}
