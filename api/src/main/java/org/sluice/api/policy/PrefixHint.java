// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.IpPrefix;

/** A hint and the destinations that it is for, as a host gets it. */
@AutoValue
public abstract class PrefixHint {

  /**
   * A hint.
   *
   * @param destinations empty: all that no other hint of the host names
   */
  public static PrefixHint of(List<IpPrefix> destinations, TcpHint hint) {
    return new AutoValue_PrefixHint(List.copyOf(destinations), hint);
  }

  /** Empty: all that no other hint of the host names. */
  public abstract List<IpPrefix> destinations();

  public abstract TcpHint hint();
}
