// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
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
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.rest.json.HostHintsDto;
import org.sluice.rest.json.PolicyFindingDto;
import org.sluice.rest.json.PolicyJson;
import org.sluice.rest.json.PolicyPreviewDto;
import org.sluice.rest.json.PolicyRevisionDto;
import org.sluice.rest.json.PolicyStateDto;
import org.sluice.rest.json.RequestBody;

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
  public PolicyStateDto read() throws SluiceException {
    return new PolicyStateDto(policies());
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
  public PolicyRevisionDto apply(InputStream body, @Context SecurityContext login)
      throws SluiceException, IOException {
    return new PolicyRevisionDto(policies().apply(set(body), Callers.name(login)));
  }

  /** Puts an earlier revision's set in force again, as a new revision. */
  @POST
  @Path("rollback")
  @Consumes(MediaType.APPLICATION_JSON)
  public PolicyRevisionDto rollBack(InputStream body, @Context SecurityContext login)
      throws SluiceException, IOException {
    long revision = PolicyJson.readRollback(RequestBody.readObject(body));
    return new PolicyRevisionDto(policies().rollBack(revision, Callers.name(login)));
  }

  /** No policies from here on. */
  @DELETE
  public Response withdraw(@Context SecurityContext login) throws SluiceException {
    PolicyService policies = policies();
    if (policies.fault().isPresent()
        || policies.current().flatMap(PolicyRevision::set).isPresent()) {
      policies.rollBack(0, Callers.name(login));
    }
    return Response.noContent().build();
  }

  private static PolicySet set(InputStream body) throws SluiceException, IOException {
    return PolicyJson.read(RequestBody.readObject(body), "");
  }

  private PolicyService policies() throws SluiceException {
    return services.get(PolicyService.class);
  }
}
