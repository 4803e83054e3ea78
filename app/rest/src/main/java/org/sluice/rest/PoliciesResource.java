// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.io.IOException;
import java.io.InputStream;
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
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.EntityTag;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.json.HostHintsDto;
import org.sluice.json.PolicyFindingDto;
import org.sluice.json.PolicyJson;
import org.sluice.json.PolicyPreviewDto;
import org.sluice.json.PolicyRevisionDto;
import org.sluice.json.PolicyStateDto;
import org.sluice.json.RequestBody;

/** Congestion control policies: read, try, apply, roll back, withdraw. */
@Path("policies")
@Produces(MediaType.APPLICATION_JSON)
public final class PoliciesResource {
  private final Services services;

  public PoliciesResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** What is in force, and what it does. */
  @GET
  public Response read(@Context HttpHeaders headers) throws SluiceException {
    PolicyService policies = policies();
    EntityTag tag = EntityTags.of(policies.current());
    PolicyStateDto state = new PolicyStateDto(policies);
    return new Conditional(headers).read(tag, () -> state);
  }

  @GET
  @Path("history")
  public Map<String, List<PolicyRevisionDto>> history() throws SluiceException {
    return Map.of(
        "revisions",
        policies().history().stream().map(PolicyRevisionDto::new).collect(Collectors.toList()));
  }

  /** What hosts were sent, and report. */
  @GET
  @Path("hosts")
  public Map<String, List<HostHintsDto>> hosts() throws SluiceException {
    return Map.of(
        "hosts", policies().hosts().stream().map(HostHintsDto::new).collect(Collectors.toList()));
  }

  /** Refuses a set that is none; of one that is, what does not fit this network. */
  @POST
  @Path("validate")
  @Consumes(MediaType.APPLICATION_JSON)
  public Map<String, List<PolicyFindingDto>> validate(InputStream body)
      throws SluiceException, IOException {
    PolicySet set = set(body);
    return Map.of(
        "findings",
        policies().validate(set).stream().map(PolicyFindingDto::new).collect(Collectors.toList()));
  }

  /** What a set would do now. */
  @POST
  @Path("dry-run")
  @Consumes(MediaType.APPLICATION_JSON)
  public PolicyPreviewDto dryRun(InputStream body) throws SluiceException, IOException {
    PolicySet set = set(body);
    return new PolicyPreviewDto(policies().validate(set), policies().dryRun(set));
  }

  @PUT
  @Consumes(MediaType.APPLICATION_JSON)
  public Response apply(
      InputStream body, @Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException, IOException {
    return made(policies().apply(set(body), Callers.name(login), expected(headers)));
  }

  /** Puts an earlier revision's set in force again, as a new revision. */
  @POST
  @Path("rollback")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response rollBack(
      InputStream body, @Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException, IOException {
    long revision = PolicyJson.readRollback(RequestBody.readObject(body));
    return made(policies().rollBack(revision, Callers.name(login), expected(headers)));
  }

  /** No policies from here on. */
  @DELETE
  public Response withdraw(@Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException {
    PolicyService policies = policies();
    Expectation<PolicyRevision> expected = expected(headers);
    if (policies.fault().isPresent()
        || policies.current().flatMap(PolicyRevision::set).isPresent()) {
      policies.rollBack(0, Callers.name(login), expected);
    } else {
      expected.check(policies.current());
    }
    return Response.noContent().build();
  }

  /** Before the first policies there are none, which is revision 0. */
  private static Expectation<PolicyRevision> expected(HttpHeaders headers) throws SluiceException {
    Expectation<Optional<PolicyRevision>> expected =
        new Conditional(headers).expected(EntityTags::of);
    return present -> expected.check(Optional.of(present));
  }

  private static Response made(PolicyRevision revision) {
    return Response.ok(new PolicyRevisionDto(revision))
        .tag(EntityTags.of(Optional.of(revision)))
        .build();
  }

  private static PolicySet set(InputStream body) throws SluiceException, IOException {
    return PolicyJson.read(RequestBody.readObject(body), "");
  }

  private PolicyService policies() throws SluiceException {
    return services.get(PolicyService.class);
  }
}
