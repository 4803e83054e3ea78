// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.HostId;

/**
 * A host is quarantined, or not any more. Meanwhile nothing that it reports is taken in, and what
 * it was sent last holds.
 */
@AutoValue
public abstract class Quarantine {

  /** It begins. */
  public static Quarantine of(HostId host, String reason) {
    return new AutoValue_Quarantine(host, reason);
  }

  /** It is over. */
  public static Quarantine over(HostId host) {
    return new AutoValue_Quarantine(host, "");
  }

  public abstract HostId host();

  /** Which limit the host exceeded; empty: it is over. */
  public abstract String reason();
}
