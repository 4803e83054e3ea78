// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.deadline.FlowKey;

/** A receive window for one flow, which its source's host writes into the acknowledgements. */
@AutoValue
public abstract class WindowGrant {
  /** No window is granted: acknowledgements pass as they are. */
  public static final long RELEASED = -1;

  /**
   * A grant.
   *
   * @param windowBytes 0: send nothing for now; {@link #RELEASED}: no limit any longer
   * @throws IllegalArgumentException if below {@link #RELEASED}
   */
  public static WindowGrant of(FlowKey flow, long windowBytes) {
    if (windowBytes < RELEASED) {
      throw new IllegalArgumentException(
          "windowBytes must be at least 0, or " + RELEASED + " for none, not " + windowBytes);
    }
    return new AutoValue_WindowGrant(flow, windowBytes);
  }

  /** The flow, in the direction of its data; its ports may stand for any. */
  public abstract FlowKey flow();

  /** What may be in flight, bytes of payload. */
  public abstract long windowBytes();

  public final boolean isReleased() {
    return windowBytes() == RELEASED;
  }
}
