// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.policy.PrefixHint;

/**
 * Parameters for a host's own TCP, and for that of the namespaces and control groups that its agent
 * takes hints for. The full set: what is not listed ends.
 */
@AutoValue
public abstract class TcpHints {

  /**
   * A set.
   *
   * @param revision grows with every set that this node sends
   */
  public static TcpHints of(long revision, List<PrefixHint> hints) {
    return new AutoValue_TcpHints(revision, List.copyOf(hints));
  }

  public abstract long revision();

  /** At most one of them is for all destinations. */
  public abstract List<PrefixHint> hints();
}
