// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.parts.ReplicatedAttachments;
import org.sluice.forwarding.spi.AttachmentStore;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.LinkDiscovery;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.OtherForwarder;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.SwitchEvents;

/**
 * What the product's own forwarding stands on in a simulated network: its switches go by rules, and
 * not by routes that the simulator computes. The controller gets no packets of it and sends none;
 * it sees every endpoint where it is.
 */
final class ForwardedFabric implements ForwardingPlatform {
  private final Platform network;
  private final FlowTables tables;
  private final ReplicatedAttachments attachments;
  private final Set<IpAddress> routeMemory = new HashSet<>();

  /**
   * A fabric whose switches hold no rules yet.
   *
   * @param network as the simulator shows it
   */
  ForwardedFabric(Platform network, FlowTables tables) {
    this.network = network;
    this.tables = tables;
    attachments =
        new ReplicatedAttachments(
            network.storage().map("sluice-attachments"), Runnable::run, () -> 0);
    attachments.start();
  }

  @Override
  public Switches switches() {
    return network.switches();
  }

  /** Switches stay connected. */
  @Override
  public SwitchEvents switchEvents() {
    return new SwitchEvents() {
      @Override
      public void addListener(SwitchEvents.Listener listener) {}

      @Override
      public void removeListener(SwitchEvents.Listener listener) {}
    };
  }

  @Override
  public Mastership mastership() {
    return network.mastership();
  }

  @Override
  public HostSightings hostSightings() {
    return network.hostSightings();
  }

  @Override
  public LinkDiscovery links() {
    return new LinkDiscovery() {
      @Override
      public Epoch epoch() {
        return network.topology().epoch();
      }

      @Override
      public Collection<Link> links() {
        List<Link> links = new ArrayList<>();
        network.topology().peers().forEach((from, to) -> links.add(Link.of(from, to)));
        return links;
      }
    };
  }

  @Override
  public RuleTable rules() {
    return tables;
  }

  @Override
  public MeterTable meters() {
    return tables.meters();
  }

  @Override
  public GroupTable groups() {
    return tables.groups();
  }

  @Override
  public PacketIn packetIn() {
    return new PacketIn() {
      @Override
      public void addListener(Stage stage, PacketIn.Listener listener) {}

      @Override
      public void removeListener(PacketIn.Listener listener) {}

      @Override
      public void requestArp() {}

      @Override
      public void cancelArp() {}
    };
  }

  @Override
  public PacketOut packetOut() {
    return (port, frame) -> {};
  }

  @Override
  public ReplicatedStorage storage() {
    return network.storage();
  }

  @Override
  public ClusterNodes nodes() {
    return new SoleNode();
  }

  @Override
  public AttachmentStore attachmentStore() {
    return attachments;
  }

  @Override
  public Set<IpAddress> routeMemory() {
    return routeMemory;
  }

  @Override
  public OtherForwarder otherForwarder() {
    return new OtherForwarder() {
      private final Epoch epoch = new Epoch();

      @Override
      public Epoch epoch() {
        return epoch;
      }

      @Override
      public Optional<String> active() {
        return Optional.empty();
      }

      @Override
      public String remedy(String name) {
        return "there is no other";
      }
    };
  }
}
