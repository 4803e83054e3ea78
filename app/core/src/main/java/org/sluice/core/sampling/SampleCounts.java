// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

import com.google.auto.value.AutoValue;
import java.util.EnumMap;
import java.util.Map;
import org.sluice.api.IpAddress;

/** What was not taken in of what switches send, since the collector started. */
@AutoValue
public abstract class SampleCounts {
  /** Of a collector that has received nothing, or of none. */
  public static final SampleCounts NONE = of(Map.of(), Map.of(), false);

  /**
   * Counts.
   *
   * @param lost how many, by reason; a reason that is not there: none
   * @param lastSenders by reason, whose the last datagram was, as far as that is known
   * @param hasLessBuffer whether the kernel grants less receive buffer than requested
   */
  public static SampleCounts of(
      Map<SampleLoss, Long> lost, Map<SampleLoss, IpAddress> lastSenders, boolean hasLessBuffer) {
    return new AutoValue_SampleCounts(Map.copyOf(lost), Map.copyOf(lastSenders), hasLessBuffer);
  }

  public abstract Map<SampleLoss, Long> lost();

  public abstract Map<SampleLoss, IpAddress> lastSenders();

  public abstract boolean hasLessBuffer();

  /** The same, with another count for a reason. */
  final SampleCounts with(SampleLoss reason, long count) {
    Map<SampleLoss, Long> all = new EnumMap<>(SampleLoss.class);
    all.putAll(lost());
    all.put(reason, count);
    return of(all, lastSenders(), hasLessBuffer());
  }
}
