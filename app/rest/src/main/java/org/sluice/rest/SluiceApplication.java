// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Map;
import java.util.Set;
import javax.ws.rs.core.Application;

/** What the servlet serves. */
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
        TenantsResource.class,
        FlowsResource.class,
        DeadlinesResource.class,
        EndpointsResource.class,
        PortsResource.class,
        HostsResource.class,
        DoctorResource.class,
        JournalResource.class,
        OpenApiResource.class,
        JsonBodyWriter.class,
        WriteAccessFilter.class,
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
        // OpenAPI describes the interface; no second description.
        "jersey.config.server.wadl.disableWadl",
        true,
        // The container must not put its own error page in the place of a problem document.
        "jersey.config.server.response.setStatusOverSendError",
        true);
  }
}
