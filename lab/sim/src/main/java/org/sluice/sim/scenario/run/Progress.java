// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

/** Is notified how far the runs are, from several threads. */
public interface Progress {
  /** Reports nothing. */
  Progress SILENT =
      new Progress() {
        @Override
        public void advanced(double runs) {}

        @Override
        public void finished(Run run) {}
      };

  /**
   * Some simulated time has passed.
   *
   * @param runs as a part of one run
   */
  void advanced(double runs);

  /** A run has ended. */
  void finished(Run run);
}
