// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * Finds flows without a deadline that need no window, since the law holds their source to a share
 * of each full port that they cross, and what is promised comes before all shares. Ours: windows
 * divide a port by flows, which takes from a tenant with one what another opens dozens for; and
 * base windows of all of them would leave nothing to promise.
 *
 * <p>One that has just begun has a window, for the law may not know it yet: first windows of many
 * fill a queue before the first mark is back. Those of a source that sends something with a
 * deadline have one, too: what is promised is let through for the source, not for the flow.
 */
final class SharedFlows {
  private SharedFlows() {}

  /**
   * Evaluates one that sends.
   *
   * @param latencyNanos after so long the law knows it
   */
  static void check(GifRow row, long latencyNanos, long nowNanos) {
    boolean shared =
        !row.hasDeadline()
            && row.siblings.withDeadline == 0
            && (row.openedNanos == GifRow.LONG_AGO || nowNanos - row.openedNanos >= latencyNanos)
            && row.crossesSharedPorts();
    if (shared != row.shared) {
      row.setShared(shared);
    }
  }
}
