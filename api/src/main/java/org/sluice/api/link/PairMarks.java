// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.IpAddress;

/**
 * What has arrived of one direction of traffic at its destination's host, and how much of it was
 * marked. Totals since that host's agent began, so that a lost report loses nothing.
 */
@AutoValue
public abstract class PairMarks {

  public static PairMarks of(
      IpAddress source,
      IpAddress destination,
      int instance,
      long sequence,
      long packets,
      long marks,
      long bytes) {
    return new AutoValue_PairMarks(source, destination, instance, sequence, packets, marks, bytes);
  }

  public abstract IpAddress source();

  public abstract IpAddress destination();

  /** Of the destination's agent: totals restart with it. */
  public abstract int instance();

  /** Grows with every report about the pair. */
  public abstract long sequence();

  public abstract long packets();

  /** Those of the packets that are to slow the source down. */
  public abstract long marks();

  public abstract long bytes();
}
