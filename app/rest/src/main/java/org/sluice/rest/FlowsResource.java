// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.ws.rs.Consumes;
import javax.ws.rs.DELETE;
import javax.ws.rs.GET;
import javax.ws.rs.POST;
import javax.ws.rs.PUT;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.QueryParam;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.MilliTime;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.rest.json.FlowJson;
import org.sluice.rest.json.Json;

/** Flows with deadlines: list, read, register, change, take back. */
@Path("flows")
@Produces(MediaType.APPLICATION_JSON)
public final class FlowsResource {
  private static final int MOST_LISTED = 100_000;

  private final Services services;

  public FlowsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** All registrations by id, or those in one state, or so many at most, the newest first. */
  @GET
  public String list(@QueryParam("state") String state, @QueryParam("limit") String limit)
      throws SluiceException {
    Optional<FlowState> wanted =
        state == null ? Optional.empty() : Optional.of(FlowState.ofText(state));
    List<FlowStatus> flows = new ArrayList<>(admin().flows());
    flows.removeIf(flow -> wanted.isPresent() && wanted.get() != flow.state());
    if (limit != null) {
      Collections.reverse(flows);
      flows = flows.subList(0, Math.min(flows.size(), limit(limit)));
    }
    ObjectNode json = Json.object();
    ArrayNode all = json.putArray("flows");
    flows.forEach(flow -> all.add(FlowJson.write(flow)));
    return json.toString();
  }

  private static int limit(String text) throws SluiceException {
    return Ids.parse(text, Integer::valueOf)
        .filter(limit -> limit >= 1 && limit <= MOST_LISTED)
        .orElseThrow(
            () ->
                SluiceException.invalid(
                    "limit",
                    text,
                    "This is no number of flows to list",
                    "Use a whole number from 1 to " + MOST_LISTED));
  }

  @GET
  @Path("{id}")
  public String read(@PathParam("id") String id) throws SluiceException {
    return FlowJson.write(admin().flow(number(id)).orElseThrow(() -> unknown(id))).toString();
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response register(InputStream body, @Context UriInfo uri)
      throws SluiceException, IOException {
    DeadlineRequest wish = FlowJson.read(Json.readObject(body), Instant.now());
    FlowDecision decision = admin().register(wish);
    if (decision.flow().isEmpty()) {
      return cannotBeMet(decision.admission(), wish.dueInNanos());
    }
    FlowStatus flow = decision.flow().get();
    return Response.created(
            uri.getBaseUriBuilder().path("flows").path(String.valueOf(flow.id())).build())
        .entity(FlowJson.write(flow).toString())
        .build();
  }

  /** Gives a registration another size, another deadline, or both. */
  @PUT
  @Path("{id}")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response change(@PathParam("id") String id, InputStream body)
      throws SluiceException, IOException {
    FlowJson.Change change = FlowJson.readChange(Json.readObject(body), Instant.now());
    FlowDecision decision =
        admin().change(number(id), change.sizeBytes, change.dueInNanos, change.force);
    return decision
        .flow()
        .map(flow -> Response.ok(FlowJson.write(flow).toString()).build())
        .orElseGet(() -> cannotBeMet(decision.admission(), change.dueInNanos.orElse(0)));
  }

  @DELETE
  @Path("{id}")
  public Response remove(@PathParam("id") String id) throws SluiceException {
    admin().remove(number(id));
    return Response.noContent().build();
  }

  private static Response cannotBeMet(Admission admission, long dueInNanos) {
    OptionalLong earliest = admission.earliestNanos();
    String value = dueInNanos > 0 ? MilliTime.fromNanos(dueInNanos).toPlainString() : "";
    return new Problem(
            409,
            "cannot-be-met",
            "The deadline cannot be met",
            earliest.isPresent()
                ? "What is left beside earlier promises is through no sooner than in "
                    + MilliTime.fromNanos(earliest.getAsLong()).toPlainString()
                    + " ms"
                : "At a port on its way nothing is left to promise")
        .about("dueInMillis", value)
        .with(
            "earliestMillis",
            earliest.isPresent() ? MilliTime.fromNanos(earliest.getAsLong()) : null)
        .remedy(
            "Ask for earliestMillis or later, or set force to have it stand behind what is"
                + " promised")
        .response()
        .build();
  }

  private FlowAdminService admin() throws SluiceException {
    return services.get(FlowAdminService.class);
  }

  private static long number(String id) throws SluiceException {
    return Ids.parse(id, Long::parseLong).orElseThrow(() -> unknown(id));
  }

  private static SluiceException unknown(String id) {
    return SluiceException.notFound("id", id, "There is no such registration");
  }
}
