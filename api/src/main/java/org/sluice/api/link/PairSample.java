// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.IpAddress;

/**
 * One direction of traffic between two endpoint addresses over an interval, as one host counted it:
 * {@code sent*} where the host is the source's, {@code received*} where it is the destination's.
 */
@AutoValue
public abstract class PairSample {

  /** One whose source does not wait. */
  public static PairSample of(
      IpAddress source,
      IpAddress destination,
      long sentPackets,
      long sentBytes,
      long receivedPackets,
      long receivedBytes,
      long cePackets) {
    return of(
        source,
        destination,
        sentPackets,
        sentBytes,
        receivedPackets,
        receivedBytes,
        cePackets,
        false);
  }

  public static PairSample of(
      IpAddress source,
      IpAddress destination,
      long sentPackets,
      long sentBytes,
      long receivedPackets,
      long receivedBytes,
      long cePackets,
      boolean waits) {
    return new AutoValue_PairSample(
        source,
        destination,
        sentPackets,
        sentBytes,
        receivedPackets,
        receivedBytes,
        cePackets,
        waits);
  }

  public abstract IpAddress source();

  public abstract IpAddress destination();

  public abstract long sentPackets();

  public abstract long sentBytes();

  public abstract long receivedPackets();

  public abstract long receivedBytes();

  /** Of the received packets, how many carried CE. */
  public abstract long cePackets();

  /** Whether what the source sends waits for its limit: it would send more than it may. */
  public abstract boolean waits();
}
