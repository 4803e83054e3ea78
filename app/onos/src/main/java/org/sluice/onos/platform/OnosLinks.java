// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.onosproject.net.link.LinkService;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.LinkDiscovery;

/** Links as ONOS's link service has them. */
final class OnosLinks implements LinkDiscovery {
  private final LinkService links;
  private final Epoch epoch = new Epoch();

  OnosLinks(LinkService links) {
    this.links = links;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<Link> links() {
    List<Link> active = new ArrayList<>();
    links
        .getActiveLinks()
        .forEach(
            link -> active.add(Link.of(OnosTypes.port(link.src()), OnosTypes.port(link.dst()))));
    return active;
  }
}
