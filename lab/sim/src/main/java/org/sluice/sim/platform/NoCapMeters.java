// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.spi.CapMeters;

/** Switches that have no space for meters of background traffic: port agents hold it back. */
final class NoCapMeters implements CapMeters {
  @Override
  public void set(Collection<CapMeter> meters) {
    // Each of them is refused.
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return true;
  }
}
