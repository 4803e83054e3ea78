// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.link.WindowGrant;

/**
 * What a flow that sends may have while no port on its way is congested: as much as fills the
 * narrowest of them, and no more. What a sender was once allowed cannot be taken back; with a
 * receiver's own window of megabytes no grant would be felt until those are through. The paper lets
 * go.
 */
final class OpenWindow {
  private OpenWindow() {}

  /** Bytes, or {@link WindowGrant#RELEASED}. */
  static long bytes(GifRow row, DeadlineParameters parameters) {
    if (parameters.isPapersLaw()) {
      return WindowGrant.RELEASED;
    }
    double narrowest = Double.MAX_VALUE;
    for (DeadlinePort port : row.path) {
      if (port.isGoverned()) {
        narrowest = Math.min(narrowest, port.fillingBytes(row.baseRoundTripNanos));
      }
    }
    return narrowest == Double.MAX_VALUE
        ? WindowGrant.RELEASED
        : Math.max(parameters.firstWindowBytes(), parameters.wholeSegmentsUp(narrowest));
  }
}
