// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Map;
import java.util.Set;
import javax.ws.rs.core.Application;

/** Resources and providers that the servlet serves. */
public final class SluiceApplication extends Application {
  private final Services services;

  /** Called by the servlet: takes the services from the OSGi registry. */
  public SluiceApplication() {
    this(new OsgiServices());
  }

  SluiceApplication(Services services) {
    this.services = services;
  }

  @Override
  public Set<Class<?>> getClasses() {
    return Set.of(
        AccessResource.class,
        TenantsResource.class,
        FlowsResource.class,
        DeadlinesResource.class,
        EndpointsResource.class,
        TopologyResource.class,
        PortsResource.class,
        QueuesResource.class,
        CapsResource.class,
        HostsResource.class,
        PoliciesResource.class,
        DoctorResource.class,
        JournalResource.class,
        MetricsResource.class,
        OpenApiResource.class,
        JsonBodyWriter.class,
        AccessFilter.class,
        ResponseHeadersFilter.class,
        SluiceExceptionMapper.class,
        HttpErrorMapper.class,
        UnexpectedErrorMapper.class);
  }

  @Override
  public Map<String, Object> getProperties() {
    return Map.of(
        Services.PROPERTY,
        services,
        // openapi.json describes the interface.
        "jersey.config.server.wadl.disableWadl",
        true,
        // Otherwise the container replaces problem documents by its own error page.
        "jersey.config.server.response.setStatusOverSendError",
        true);
  }
}
