// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.link.HostSettings;
import org.sluice.core.profile.TunedLevels;
import org.sluice.core.spi.Epoch;

/**
 * The sizes at which flows are to leave a level for the next, as far as they are worth a message to
 * every host. The engine thread writes, any may read.
 */
final class LevelThresholds implements TunedLevels {
  /** The histogram that they come from has bins of a quarter. */
  private static final double NOTICEABLE = 0.1;

  private final Epoch epoch = new Epoch();
  private volatile List<Long> thresholdsBytes = List.of();

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public List<Long> thresholdsBytes() {
    return thresholdsBytes;
  }

  /**
   * Takes over what was tuned, unless it is nearly the same.
   *
   * @return whether it is to hold
   */
  boolean offer(long[] tuned) {
    long[] usable = usable(tuned);
    List<Long> before = thresholdsBytes;
    boolean isNear = before.size() == usable.length;
    for (int i = 0; i < usable.length && isNear; i++) {
      isNear = Math.abs(usable[i] - before.get(i)) <= NOTICEABLE * before.get(i);
    }
    if (!isNear) {
      thresholdsBytes = Arrays.stream(usable).boxed().collect(Collectors.toUnmodifiableList());
      epoch.advance();
    }
    return !isNear;
  }

  /** Where many flows are of one size thresholds are equal; to agents each is above the last. */
  private static long[] usable(long[] tuned) {
    long[] usable = new long[tuned.length];
    long least = 1;
    for (int i = 0; i < tuned.length; i++) {
      long most = HostSettings.MOST_LEVEL_THRESHOLD_BYTES - (tuned.length - 1 - i);
      usable[i] = Math.max(least, Math.min(most, tuned[i]));
      least = usable[i] + 1;
    }
    return usable;
  }

  /** Agents are to use their own. */
  void clear() {
    if (!thresholdsBytes.isEmpty()) {
      thresholdsBytes = List.of();
      epoch.advance();
    }
  }
}
