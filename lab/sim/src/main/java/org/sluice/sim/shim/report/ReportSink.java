// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.report;

import java.util.List;
import org.sluice.api.link.PairSample;
import org.sluice.sim.network.Endpoint;

/** Takes a shim's reports to its controller. */
public interface ReportSink {
  /**
   * A report.
   *
   * @param intervalNanos what it covers
   * @param pairs increments since the last report
   */
  void observe(long intervalNanos, List<PairSample> pairs);

  /**
   * What came to the phantom queue of an endpoint's receive ceiling.
   *
   * @param overThreshold packets that found more than its threshold
   */
  void observeReceiver(
      Endpoint endpoint, long intervalNanos, long packets, long bytes, long overThreshold);
}
