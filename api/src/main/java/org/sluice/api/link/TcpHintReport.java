// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.policy.AppliedHint;

/**
 * What a host made of the latest {@link TcpHints}: after each, and when something of it changes.
 */
@AutoValue
public abstract class TcpHintReport {

  public static TcpHintReport of(
      HostId host, long revision, List<AppliedHint> hints, List<String> refused) {
    return new AutoValue_TcpHintReport(host, revision, List.copyOf(hints), List.copyOf(refused));
  }

  public abstract HostId host();

  /** That of the {@link TcpHints}. */
  public abstract long revision();

  /** In the order of the hints. */
  public abstract List<AppliedHint> hints();

  /** What is in force nowhere, and why. */
  public abstract List<String> refused();
}
