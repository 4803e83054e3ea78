// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;

/** A hint and whom it is for. Hosts obey the one that names the destination, else the other. */
@AutoValue
public abstract class GroupHint {

  /**
   * A hint.
   *
   * @param source the group whose hosts get it
   * @param destination the group towards which it holds; empty: all
   */
  public static GroupHint of(String source, String destination, TcpHint hint) {
    return new AutoValue_GroupHint(source, destination, hint);
  }

  public abstract String source();

  public abstract String destination();

  public abstract TcpHint hint();
}
