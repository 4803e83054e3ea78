// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Optional;
import javax.ws.rs.GET;
import javax.ws.rs.HeaderParam;
import javax.ws.rs.HttpMethod;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.Request;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.SecurityContext;
import javax.ws.rs.core.StreamingOutput;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.SluiceException;
import org.sluice.rest.stream.StreamFeed;
import org.sluice.rest.stream.StreamReader;

/** All that changes, as server-sent events. */
@Path("stream")
@Produces(StreamResource.MEDIA_TYPE)
public final class StreamResource {
  static final String MEDIA_TYPE = "text/event-stream";

  private static final String LAST_EVENT_ID = "lastEventId";
  private static final int BUSY = 503;
  private static final int RETRY_SECONDS = 5;

  private final StreamFeed feed;

  public StreamResource(@Context Configuration configuration) {
    this.feed = (StreamFeed) configuration.getProperty(SluiceApplication.FEED);
  }

  /** Browsers name the last event themselves when they come back, in the header. */
  @GET
  @ForTenants
  @Takes(LAST_EVENT_ID)
  public Response read(
      @Context Request request,
      @Context UriInfo uri,
      @Context SecurityContext login,
      @HeaderParam("Last-Event-ID") String header)
      throws SluiceException {
    Optional<String> parameter = new QueryParameters(uri).text(LAST_EVENT_ID);
    if (request.getMethod().equals(HttpMethod.HEAD)) {
      return Response.ok().type(MEDIA_TYPE).build();
    }
    String lastEventId = header != null ? header : parameter.orElse("");
    Optional<StreamReader> reader = feed.open(Callers.of(login), Callers.name(login), lastEventId);
    if (reader.isEmpty()) {
      return new Problem(
              BUSY, "unavailable", "Unavailable", "The stream has as many readers as it may")
          .remedy("Try again in some seconds, or close other pages")
          .response()
          .header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS)
          .build();
    }
    StreamingOutput body = reader.get()::run;
    return Response.ok(body).header("X-Accel-Buffering", "no").build();
  }
}
