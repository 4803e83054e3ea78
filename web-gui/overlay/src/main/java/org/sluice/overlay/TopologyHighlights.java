// SPDX-License-Identifier: Apache-2.0
package org.sluice.overlay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.LinkKey;
import org.onosproject.ui.topo.BiLinkMap;
import org.onosproject.ui.topo.DeviceHighlight;
import org.onosproject.ui.topo.Highlights;
import org.onosproject.ui.topo.NodeBadge;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointService;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;

/** What of ports and endpoints ONOS's topology view shows: links by colour, switches by badge. */
final class TopologyHighlights {
  static final Highlights NONE = new Highlights();

  /** Most endpoints that a badge names; the others are counted. */
  private static final int MOST_NAMED = 5;

  private final PortService ports;
  private final EndpointService endpoints;

  TopologyHighlights(PortService ports, EndpointService endpoints) {
    this.ports = ports;
    this.endpoints = endpoints;
  }

  private static final class CongestedLinks extends BiLinkMap<CongestedLink> {
    @Override
    protected CongestedLink create(LinkKey key, Link link) {
      return new CongestedLink(key, link);
    }
  }

  Highlights of(Iterable<Link> links) {
    Highlights highlights = new Highlights();
    Map<PortId, PortStatus> byId = new HashMap<>();
    ports.ports().forEach(port -> byId.put(port.id(), port));
    CongestedLinks all = new CongestedLinks();
    for (Link link : links) {
      CongestedLink pair = all.add(link);
      port(link.src()).map(byId::get).ifPresent(pair::take);
    }
    all.biLinks().stream()
        .filter(CongestedLink::isNoteworthy)
        .forEach(link -> highlights.add(link.highlight(null)));
    limited().forEach((device, its) -> highlights.add(badge(device, its)));
    return highlights;
  }

  private static Optional<PortId> port(ConnectPoint point) {
    boolean isPort = point.elementId() instanceof DeviceId;
    return isPort && !point.port().isLogical()
        ? Optional.of(PortId.of(point.deviceId().toString(), point.port().toLong()))
        : Optional.empty();
  }

  /** Endpoints that are held back, by the switch that they are behind. */
  private Map<String, List<Endpoint>> limited() {
    Map<String, List<Endpoint>> found = new TreeMap<>();
    for (Endpoint endpoint : endpoints.endpoints()) {
      if (endpoint.traffic().heldBack() && endpoint.attachment().isPresent()) {
        found
            .computeIfAbsent(endpoint.attachment().get().datapath(), d -> new ArrayList<>())
            .add(endpoint);
      }
    }
    return found;
  }

  private static DeviceHighlight badge(String device, List<Endpoint> limited) {
    String named =
        limited.stream()
            .limit(MOST_NAMED)
            .map(endpoint -> endpoint.id() + " of " + endpoint.tenant())
            .sorted()
            .collect(Collectors.joining(", "));
    int further = limited.size() - MOST_NAMED;
    DeviceHighlight highlight = new DeviceHighlight(device);
    highlight.setBadge(
        NodeBadge.number(
            NodeBadge.Status.WARN,
            limited.size(),
            "held back: " + named + (further > 0 ? " and " + further + " more" : "")));
    return highlight;
  }
}
