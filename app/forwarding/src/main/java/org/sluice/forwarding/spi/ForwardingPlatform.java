// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;

/** A controller platform, as forwarding sees it: what an adapter implements. */
public interface ForwardingPlatform {

  Switches switches();

  SwitchEvents switchEvents();

  Mastership mastership();

  HostSightings hostSightings();

  LinkDiscovery links();

  RuleTable rules();

  MeterTable meters();

  GroupTable groups();

  PacketIn packetIn();

  PacketOut packetOut();

  ReplicatedStorage storage();

  ClusterNodes nodes();

  AttachmentStore attachmentStore();

  /** Addresses on this node's own disk, which outlive its process. Thread-safe. */
  Set<IpAddress> routeMemory();

  OtherForwarder otherForwarder();
}
