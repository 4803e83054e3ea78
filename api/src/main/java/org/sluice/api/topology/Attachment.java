// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.topology;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import org.sluice.api.HostId;
import org.sluice.api.PortId;

/** What is behind an edge port. */
@AutoValue
public abstract class Attachment {

  public static Attachment of(Optional<HostId> host, PortId port) {
    return new AutoValue_Attachment(host, port);
  }

  /** The host whose endpoints are there; empty: machines that no agent reports. */
  public abstract Optional<HostId> host();

  public abstract PortId port();
}
