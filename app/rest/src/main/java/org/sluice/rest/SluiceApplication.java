// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.ws.rs.core.Application;
import org.sluice.rest.stream.StreamFeed;
import org.sluice.rest.stream.StreamPace;

/** Resources and providers that the servlet serves. */
public final class SluiceApplication extends Application {
  /** The property of the application that holds the stream's feed. */
  static final String FEED = "org.sluice.rest.feed";

  private final Services services;
  private final StreamFeed feed;
  private final RequestBudget budget;

  /** Called by the servlet: takes the services from the OSGi registry. */
  public SluiceApplication() {
    this(new OsgiServices());
  }

  private SluiceApplication(OsgiServices registry) {
    this(registry, new StreamFeed(registry::get, StreamPace.USUAL));
    registry.whenStopping(feed::close);
  }

  /**
   * For a program without OSGi; to be closed before the services end.
   *
   * @param services each by its interface
   */
  public static SluiceApplication of(Map<Class<?>, Object> services) {
    Services all =
        new Services() {
          @Override
          public <T> Optional<T> find(Class<T> service) {
            return Optional.ofNullable(service.cast(services.get(service)));
          }
        };
    return new SluiceApplication(all, new StreamFeed(all::get, StreamPace.USUAL));
  }

  /** Ends the streams that are read. */
  public void close() {
    feed.close();
  }

  SluiceApplication(Services services, StreamFeed feed) {
    this(services, feed, new RequestBudget(System::nanoTime));
  }

  SluiceApplication(Services services, StreamFeed feed, RequestBudget budget) {
    this.services = services;
    this.feed = feed;
    this.budget = budget;
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
        ClusterResource.class,
        JournalResource.class,
        HistoryResource.class,
        StreamResource.class,
        MetricsResource.class,
        OpenApiResource.class,
        JsonBodyWriter.class,
        LoginFilter.class,
        ForeignPageFilter.class,
        AccessFilter.class,
        BudgetFilter.class,
        CharsetFilter.class,
        KnownParameters.class,
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
        FEED,
        feed,
        RequestBudget.PROPERTY,
        budget,
        // Locations are paths: behind a proxy with TLS the scheme is another.
        "jersey.config.server.headers.location.relative.resolution.disabled",
        true,
        // openapi.json describes the interface.
        "jersey.config.server.wadl.disableWadl",
        true,
        // Otherwise the container replaces problem documents by its own error page.
        "jersey.config.server.response.setStatusOverSendError",
        true);
  }
}
