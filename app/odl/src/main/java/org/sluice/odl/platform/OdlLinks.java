// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.NetworkTopology;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.TopologyId;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.Topology;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.TopologyKey;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.LinkDiscovery;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

/** Links that openflowplugin's LLDP found: the topology {@code flow:1}. */
final class OdlLinks implements LinkDiscovery {
  private static final InstanceIdentifier<
          org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network
              .topology.topology.Link>
      LINKS =
          InstanceIdentifier.builder(NetworkTopology.class)
              .child(Topology.class, new TopologyKey(new TopologyId("flow:1")))
              .child(
                  org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021
                      .network.topology.topology.Link.class)
              .build();

  private final Mdsal mdsal;
  private final Epoch epoch = new Epoch();
  private final Map<String, Link> links = new ConcurrentHashMap<>();

  /** Of all links: looked up for every packet that shows a host. */
  private volatile Set<PortId> ends = Set.of();

  OdlLinks(Mdsal mdsal) {
    this.mdsal = mdsal;
  }

  Registration start() {
    return mdsal.listen(LogicalDatastoreType.OPERATIONAL, LINKS, this::changed);
  }

  private void changed(
      Collection<
              DataTreeModification<
                  org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021
                      .network.topology.topology.Link>>
          changes) {
    changes.forEach(
        change -> {
          var before = change.getRootNode().getDataBefore();
          var now = change.getRootNode().getDataAfter();
          if (now == null) {
            links.remove(before.getLinkId().getValue());
          } else {
            Optional<PortId> from = Datapaths.port(now.getSource().getSourceTp().getValue());
            Optional<PortId> to = Datapaths.port(now.getDestination().getDestTp().getValue());
            if (from.isPresent() && to.isPresent()) {
              links.put(now.getLinkId().getValue(), Link.of(from.get(), to.get()));
            }
          }
        });
    ends =
        links.values().stream()
            .flatMap(link -> Stream.of(link.from(), link.to()))
            .collect(Collectors.toSet());
    epoch.advance();
  }

  /** Whether a link begins or ends at a port. */
  boolean isEnd(PortId port) {
    return ends.contains(port);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<Link> links() {
    return List.copyOf(links.values());
  }
}
