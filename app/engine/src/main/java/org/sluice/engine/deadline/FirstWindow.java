// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.link.WindowGrant;

/**
 * What a registered flow that has not begun may begin with while no port on its way is congested.
 * Its host knows that before the SYN, and so no first window has to wait for a word about it; with
 * a machine too busy to say that word in time, those of all that were announced would come at once.
 * So all of them together get K + C RTT_base. Ours: the paper has nothing like it.
 */
final class FirstWindow {
  private FirstWindow() {}

  /**
   * Bytes, at most a first window as TCP has it, or {@link WindowGrant#RELEASED}: by the paper's
   * law, and where more wait than there are segments.
   */
  static long bytes(GifRow row, DeadlineParameters parameters) {
    double least = parameters.firstWindowBytes();
    boolean governed = false;
    for (DeadlinePort port : row.path) {
      if (port.isGoverned()) {
        governed = true;
        least = Math.min(least, port.firstShareBytes());
      }
    }
    long bytes = parameters.wholeSegmentsDown(least);
    return governed && bytes > 0 && !parameters.isPapersLaw() ? bytes : WindowGrant.RELEASED;
  }
}
