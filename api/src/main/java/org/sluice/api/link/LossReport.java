// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/**
 * Packets that queues of a port agent's ports had no space for; never those that a policer or a cap
 * dropped. Enabled by {@link HostSettings#reportLosses}.
 */
@AutoValue
public abstract class LossReport {

  public static LossReport of(HostId host, long receivedNanos, List<Loss> losses) {
    return new AutoValue_LossReport(host, receivedNanos, List.copyOf(losses));
  }

  /** The port agent, by its certificate's name. */
  public abstract HostId host();

  /** This controller's monotonic clock when it arrived, ns. */
  public abstract long receivedNanos();

  public abstract List<Loss> losses();
}
