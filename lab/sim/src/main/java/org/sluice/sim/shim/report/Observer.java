// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.report;

import java.util.List;
import org.sluice.api.link.PairSample;

/** Takes what a shim has to say to its controller. */
public interface Observer {
  /**
   * A report.
   *
   * @param intervalNanos what it covers
   * @param pairs increments since the last report
   */
  void observe(long intervalNanos, List<PairSample> pairs);
}
