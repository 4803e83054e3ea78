// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortLimit;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;

/** Endpoints with all that is known of them: tenant, edge port, the limits now in force. */
public final class EndpointDirectory implements EndpointService, UplinkHandler {
  private static final Comparator<PortLimit> LOWEST_FIRST =
      Comparator.comparingLong(PortLimit::rateBitsPerSecond).thenComparing(PortLimit::port);

  private final ReportedEndpoints reported;
  private final TenantDirectory tenants;
  private final EndpointLocator locator;
  private final AgentLink link;
  private final Supplier<Map<EndpointId, EndpointTraffic>> traffic;

  /** Packets that hosts have dropped in their sessions, of endpoints with any. */
  private final Map<EndpointId, Long> droppedPackets = new ConcurrentHashMap<>();

  /** What holds for an endpoint now, as its host reported last. */
  private final Map<EndpointId, EndpointSample> samples = new ConcurrentHashMap<>();

  /**
   * A directory.
   *
   * @param traffic what the engine saw endpoints send
   */
  public EndpointDirectory(
      ReportedEndpoints reported,
      TenantDirectory tenants,
      EndpointLocator locator,
      AgentLink link,
      Supplier<Map<EndpointId, EndpointTraffic>> traffic) {
    this.reported = reported;
    this.tenants = tenants;
    this.locator = locator;
    this.link = link;
    this.traffic = traffic;
  }

  public void start() {
    link.addListener(this);
  }

  public void stop() {
    link.removeListener(this);
  }

  @Override
  public List<Endpoint> endpoints() {
    List<Endpoint> endpoints = new ArrayList<>();
    reported.reported().forEach(endpoint -> endpoints.add(complete(endpoint)));
    return endpoints;
  }

  @Override
  public Optional<Endpoint> endpoint(EndpointId id) {
    return reported.endpoint(id).map(this::complete);
  }

  @Override
  public Optional<Endpoint> endpoint(IpAddress ip) {
    return reported.holder(ip).map(this::complete);
  }

  private Endpoint complete(ReportedEndpoint endpoint) {
    EndpointSample sample = samples.get(endpoint.id());
    Endpoint complete =
        Endpoint.of(
                endpoint.id(),
                endpoint.mac(),
                endpoint.ips(),
                tenants.tenantOf(endpoint).id(),
                locator.locate(endpoint),
                sample == null ? 0 : sample.rateBitsPerSecond(),
                sample == null ? List.of() : limits(sample),
                sample == null ? EndpointTraffic.UNKNOWN : traffic(sample))
            .withMetadata(endpoint.metadata());
    Map<IpAddress, String> refused = reported.refused().get(endpoint.id());
    return refused == null ? complete : complete.withRefusedIps(refused);
  }

  private EndpointTraffic traffic(EndpointSample sample) {
    EndpointTraffic seen = traffic.get().getOrDefault(sample.endpoint(), EndpointTraffic.NONE);
    boolean isHeld = sample.rateBitsPerSecond() > 0;
    return EndpointTraffic.of(
        seen.deliveredBitsPerSecond(),
        sample.backlogBytes(),
        droppedPackets.getOrDefault(sample.endpoint(), 0L),
        isHeld && seen.heldBack());
  }

  private static List<PortLimit> limits(EndpointSample sample) {
    if (sample.rateBitsPerSecond() == 0) {
      return List.of(); // Without enforcement groups count, but limit nothing.
    }
    return sample.groups().stream()
        .map(group -> PortLimit.of(group.port(), group.rateBitsPerSecond(), group.ceShare()))
        .sorted(LOWEST_FIRST)
        .collect(Collectors.toList());
  }

  @Override
  public void sessionOpened(HostHello hello) {
    forgetSamples(hello.host());
  }

  @Override
  public void observed(HostObservation observation) {
    for (EndpointSample sample : observation.endpoints()) {
      samples.put(sample.endpoint(), sample);
      if (sample.droppedPackets() > 0) {
        droppedPackets.merge(sample.endpoint(), sample.droppedPackets(), Long::sum);
      }
    }
  }

  @Override
  public void sessionClosed(HostId host) {
    forgetSamples(host);
  }

  private void forgetSamples(HostId host) {
    samples.keySet().removeIf(endpoint -> endpoint.host().equals(host));
    droppedPackets.keySet().removeIf(endpoint -> endpoint.host().equals(host));
  }
}
