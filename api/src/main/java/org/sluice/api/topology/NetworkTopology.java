// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.topology;

import com.google.auto.value.AutoValue;
import java.util.List;

/** The network as this controller node sees it at one moment. Immutable. */
@AutoValue
public abstract class NetworkTopology {

  public static NetworkTopology of(
      List<SwitchStatus> switches, List<SwitchLink> links, List<Attachment> attachments) {
    return new AutoValue_NetworkTopology(
        List.copyOf(switches), List.copyOf(links), List.copyOf(attachments));
  }

  /** All that are known, by datapath. */
  public abstract List<SwitchStatus> switches();

  /** One for each direction, by source. */
  public abstract List<SwitchLink> links();

  /** One for each edge port and host, by port. */
  public abstract List<Attachment> attachments();
}
