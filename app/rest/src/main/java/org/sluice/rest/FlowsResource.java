// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.ws.rs.Consumes;
import javax.ws.rs.DELETE;
import javax.ws.rs.GET;
import javax.ws.rs.POST;
import javax.ws.rs.PUT;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.SecurityContext;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.EndpointService;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.queue.QueueService;
import org.sluice.api.why.ExplanationService;
import org.sluice.json.BackgroundFlowDto;
import org.sluice.json.FlowDto;
import org.sluice.json.FlowExplanationDto;
import org.sluice.json.FlowJson;
import org.sluice.json.RequestBody;

/** Flows with deadlines: list, read, register, change, withdraw. Background flows: list. */
@Path("flows")
@Produces(MediaType.APPLICATION_JSON)
public final class FlowsResource {
  private static final int MAX_LISTED = 100_000;
  private static final String DEADLINE = "deadline";
  private static final String BACKGROUND = "background";

  private final Services services;

  public FlowsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** Flows of one kind that the user may see. */
  @GET
  @ForTenants
  @Takes({"kind", "state", "limit"})
  public Map<String, List<Object>> list(@Context UriInfo uri, @Context SecurityContext login)
      throws SluiceException {
    Caller caller = Callers.of(login);
    QueryParameters query = new QueryParameters(uri);
    String kind = query.text("kind").orElse(DEADLINE);
    switch (kind) {
      case DEADLINE:
        return Map.of("flows", List.copyOf(registrations(query, caller)));
      case BACKGROUND:
        return Map.of("flows", List.copyOf(background(query, caller)));
      default:
        throw SluiceException.invalid(
            "kind",
            kind,
            "There is no such kind of flows",
            "Use " + DEADLINE + " or " + BACKGROUND);
    }
  }

  /** All registrations by id; or those in one state; or, with a limit, the newest first. */
  private List<FlowDto> registrations(QueryParameters query, Caller caller) throws SluiceException {
    Optional<String> state = query.text("state");
    Optional<Long> limit = query.number("limit", 1, MAX_LISTED);
    List<FlowStatus> flows = new ArrayList<>(admin().flows());
    flows.removeIf(flow -> !caller.sees(flow));
    if (state.isPresent()) {
      FlowState wanted = FlowState.ofText(state.get());
      flows.removeIf(flow -> flow.state() != wanted);
    }
    if (limit.isPresent()) {
      Collections.reverse(flows);
    }
    return flows.stream()
        .limit(limit.orElse(Long.MAX_VALUE))
        .map(FlowDto::new)
        .collect(Collectors.toList());
  }

  /** Flows beyond the size of short ones, by address and port; with a limit the first of these. */
  private List<BackgroundFlowDto> background(QueryParameters query, Caller caller)
      throws SluiceException {
    Optional<String> state = query.text("state");
    if (state.isPresent()) {
      throw SluiceException.invalid(
          "state",
          state.get(),
          "Background flows have no state",
          "Leave state out, or use kind=" + DEADLINE);
    }
    long limit = query.number("limit", 1, MAX_LISTED).orElse(Long.MAX_VALUE);
    return services.get(QueueService.class).backgroundFlows().stream()
        .filter(caller::sees)
        .limit(limit)
        .map(BackgroundFlowDto::new)
        .collect(Collectors.toList());
  }

  @GET
  @Path("{id}")
  @ForTenants
  public Response read(
      @PathParam("id") String id, @Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException {
    FlowStatus flow =
        admin().flow(number(id)).filter(Callers.of(login)::sees).orElseThrow(() -> unknown(id));
    return new Conditional(headers).read(EntityTags.of(flow), () -> new FlowDto(flow));
  }

  /** How one fares, and why; a tenant's user does not see who else there is. */
  @GET
  @Path("{id}/why")
  @ForTenants
  public FlowExplanationDto why(@PathParam("id") String id, @Context SecurityContext login)
      throws SluiceException {
    Caller caller = Callers.of(login);
    FlowStatus flow = admin().flow(number(id)).filter(caller::sees).orElseThrow(() -> unknown(id));
    return new FlowExplanationDto(services.get(ExplanationService.class).why(flow, caller));
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @ForTenants
  public Response register(InputStream body, @Context UriInfo uri, @Context SecurityContext login)
      throws SluiceException, IOException {
    DeadlineRequest request = FlowJson.read(RequestBody.readObject(body), Instant.now());
    requireOwnSource(Callers.of(login), request.flow().source());
    FlowDecision decision = admin(login).register(request);
    if (decision.flow().isEmpty()) {
      return new CannotBeMet(decision.admission(), request.dueInNanos()).response().build();
    }
    FlowStatus flow = decision.flow().get();
    return Response.created(
            uri.getBaseUriBuilder().path("flows").path(String.valueOf(flow.id())).build())
        .entity(new FlowDto(flow))
        .tag(EntityTags.of(flow))
        .build();
  }

  /** Changes size, deadline or both. */
  @PUT
  @Path("{id}")
  @Consumes(MediaType.APPLICATION_JSON)
  @ForTenants
  public Response change(
      @PathParam("id") String id,
      InputStream body,
      @Context HttpHeaders headers,
      @Context SecurityContext login)
      throws SluiceException, IOException {
    FlowJson.Change change = FlowJson.readChange(RequestBody.readObject(body), Instant.now());
    requireOwn(Callers.of(login), id);
    FlowDecision decision =
        admin(login)
            .change(
                number(id),
                change.sizeBytes,
                change.dueInNanos,
                change.force,
                new Conditional(headers).expected(EntityTags::of));
    if (decision.flow().isEmpty()) {
      return new CannotBeMet(decision.admission(), change.dueInNanos.orElse(0)).response().build();
    }
    FlowStatus flow = decision.flow().get();
    return Response.ok(new FlowDto(flow)).tag(EntityTags.of(flow)).build();
  }

  @DELETE
  @Path("{id}")
  @ForTenants
  public Response remove(
      @PathParam("id") String id, @Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException {
    requireOwn(Callers.of(login), id);
    admin(login).remove(number(id), new Conditional(headers).expected(EntityTags::of));
    return Response.noContent().build();
  }

  /** Refuses a tenant's user a source that is no endpoint of its own, whoever has it. */
  private void requireOwnSource(Caller caller, IpAddress source) throws SluiceException {
    if (caller.changesAll()) {
      return;
    }
    boolean own =
        services
            .get(EndpointService.class)
            .endpoint(source)
            .filter(endpoint -> caller.registersDeadlinesOf(endpoint.tenant()))
            .isPresent();
    if (!own) {
      throw SluiceException.invalid(
          "source",
          source,
          "No endpoint of this user's tenants has this address",
          "Use an address of its own: GET endpoints lists them");
    }
  }

  /** Refuses a tenant's user what is not its own as if it did not exist. */
  private void requireOwn(Caller caller, String id) throws SluiceException {
    boolean own =
        caller.changesAll()
            || admin()
                .flow(number(id))
                .filter(flow -> caller.registersDeadlinesOf(flow.tenant()))
                .isPresent();
    if (!own) {
      throw unknown(id);
    }
  }

  private FlowAdminService admin() throws SluiceException {
    return services.get(FlowAdminService.class);
  }

  private FlowAdminService admin(SecurityContext login) throws SluiceException {
    return admin().by(Callers.name(login));
  }

  private static long number(String id) throws SluiceException {
    return Ids.parse(id, Long::parseLong).orElseThrow(() -> unknown(id));
  }

  private static SluiceException unknown(String id) {
    return SluiceException.notFound("id", id, "There is no such registration");
  }
}
