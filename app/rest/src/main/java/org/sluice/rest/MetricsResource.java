// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import org.sluice.api.BandwidthService;
import org.sluice.api.CertificateService;
import org.sluice.api.DoctorService;
import org.sluice.api.EndpointService;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalService;
import org.sluice.api.PortService;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantRateService;
import org.sluice.api.counters.CounterService;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.queue.QueueService;
import org.sluice.rest.metrics.ControllerMetrics;

/** All of this node's state that Prometheus collects. */
@Path("metrics")
@Produces(ControllerMetrics.CONTENT_TYPE)
public final class MetricsResource {
  private final Services services;

  public MetricsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** A service that is away fails it all: a series that is silently absent looks like no fault. */
  @GET
  public String read() throws SluiceException, IOException {
    ControllerMetrics metrics = new ControllerMetrics();
    metrics.addPorts(services.get(PortService.class).ports());
    metrics.addEndpoints(services.get(EndpointService.class).endpoints());
    TenantRateService rates = services.get(TenantRateService.class);
    for (Tenant tenant : services.get(TenantAdminService.class).tenants()) {
      metrics.addTenant(tenant, rates.rates(tenant.id()));
    }
    metrics.addCertificates(services.get(CertificateService.class));
    services.get(HostDirectory.class).hosts().forEach(metrics::addHost);
    services.get(CounterService.class).switches().forEach(metrics::addSwitch);
    metrics.addDeadlines(services.get(FlowService.class).deadlines());
    metrics.addCaps(services.get(QueueService.class).caps());
    PolicyService policies = services.get(PolicyService.class);
    boolean isAnyInForce = policies.current().flatMap(PolicyRevision::set).isPresent();
    metrics.addPolicies(isAnyInForce, policies.hosts());
    services.find(BandwidthService.class).ifPresent(metrics::addBandwidths);
    metrics.addFindings(services.get(DoctorService.class).examine());
    metrics.addJournal(services.get(JournalService.class).entries(-1, Optional.empty(), 1));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    metrics.write(text);
    return text.toString("UTF-8");
  }
}
