// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** Marks that arrived at a host and are to go back to the hosts of their sources. */
@AutoValue
public abstract class MarkReport {

  public static MarkReport of(HostId host, List<PairMarks> pairs) {
    return new AutoValue_MarkReport(host, List.copyOf(pairs));
  }

  /** The host at which they arrived. */
  public abstract HostId host();

  public abstract List<PairMarks> pairs();
}
