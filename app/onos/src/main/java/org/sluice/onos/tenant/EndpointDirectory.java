// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.tenant;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.registry.EndpointLocator;
import org.sluice.onos.registry.ReportedEndpoints;

/** Endpoints with all that is known of them: tenant, edge port, the limit now in force. */
@Component(immediate = true, service = EndpointService.class)
public class EndpointDirectory implements EndpointService, AgentLinkListener {
  @Reference ReportedEndpoints reported;
  @Reference TenantDirectory tenants;
  @Reference EndpointLocator locator;
  @Reference AgentLink link;

  private final Map<EndpointId, Long> rates = new ConcurrentHashMap<>();

  @Activate
  void activate() {
    link.addListener(this);
  }

  @Deactivate
  void deactivate() {
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
    return reported.reported().stream()
        .filter(endpoint -> endpoint.id().equals(id))
        .findFirst()
        .map(this::complete);
  }

  @Override
  public Optional<Endpoint> endpoint(IpAddress ip) {
    return reported.holder(ip).map(this::complete);
  }

  private Endpoint complete(ReportedEndpoint endpoint) {
    return Endpoint.of(
        endpoint.id(),
        endpoint.mac(),
        endpoint.ips(),
        tenants.tenantOf(endpoint).id(),
        locator.locate(endpoint),
        rates.getOrDefault(endpoint.id(), 0L));
  }

  @Override
  public void connected(HostHello hello) {
    forgetRates(hello.host());
  }

  @Override
  public void observed(HostObservation observation) {
    for (EndpointSample sample : observation.endpoints()) {
      rates.put(sample.endpoint(), sample.rateBitsPerSecond());
    }
  }

  @Override
  public void happened(HostEvent event) {
    // Which endpoints there are is the registry's.
  }

  @Override
  public void disconnected(HostId host) {
    forgetRates(host);
  }

  private void forgetRates(HostId host) {
    rates.keySet().removeIf(endpoint -> endpoint.host().equals(host));
  }
}
