// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** Hosts that policies name together. */
@AutoValue
public abstract class HostGroup {

  /** A group; {@link PolicySet} checks it. */
  public static HostGroup of(String name, List<HostId> hosts) {
    return new AutoValue_HostGroup(name, List.copyOf(hosts));
  }

  public abstract String name();

  /** At least one; no host is in two groups of a set. */
  public abstract List<HostId> hosts();
}
