// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;

/** Flows of about one size that ended. */
@AutoValue
public abstract class EndedFlows {

  /**
   * So many flows.
   *
   * @param bytes IP bytes; at most a quarter more than each of them sent, and not less
   * @param flows above 0
   */
  public static EndedFlows of(long bytes, long flows) {
    return new AutoValue_EndedFlows(bytes, flows);
  }

  /** IP bytes. */
  public abstract long bytes();

  public abstract long flows();
}
