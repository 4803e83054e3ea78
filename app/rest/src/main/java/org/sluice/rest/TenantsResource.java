// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.ws.rs.Consumes;
import javax.ws.rs.DELETE;
import javax.ws.rs.GET;
import javax.ws.rs.PATCH;
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
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantRates;
import org.sluice.api.TenantSetChange;
import org.sluice.api.access.Caller;
import org.sluice.json.RefusalDto;
import org.sluice.json.RequestBody;
import org.sluice.json.TenantDto;
import org.sluice.json.TenantJson;
import org.sluice.json.TenantSetChangeDto;
import org.sluice.json.TenantStatusDto;

/** Tenants: list, read, create, replace, change, remove. */
@Path("tenants")
@Produces(MediaType.APPLICATION_JSON)
public final class TenantsResource {
  private static final String DRY_RUN = "dryRun";
  private static final String ALLOW_REFUSED_ADDRESSES = "allowRefusedAddresses";
  private static final String MERGE_PATCH = "application/merge-patch+json";

  private final Services services;

  public TenantsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  @ForTenants
  public Response list(@Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException {
    Caller caller = Callers.of(login);
    List<Tenant> seen =
        admin().tenants().stream()
            .filter(tenant -> caller.sees(tenant.id()))
            .collect(Collectors.toList());
    return new Conditional(headers)
        .read(
            EntityTags.ofAll(seen),
            () ->
                Map.of("tenants", seen.stream().map(TenantDto::new).collect(Collectors.toList())));
  }

  /** Puts a whole set in the place of all tenants, or changes nothing. */
  @PUT
  @Consumes(MediaType.APPLICATION_JSON)
  @Takes({DRY_RUN, ALLOW_REFUSED_ADDRESSES})
  public Response replaceAll(
      InputStream body,
      @Context HttpHeaders headers,
      @Context UriInfo uri,
      @Context SecurityContext login)
      throws SluiceException, IOException {
    boolean dryRun = new QueryParameters(uri).flag(DRY_RUN);
    Expectation<List<Tenant>> expected = new Conditional(headers).expected(EntityTags::ofAll);
    List<SluiceException> unread = new ArrayList<>();
    List<Tenant> tenants =
        TenantJson.readSet(RequestBody.readObject(body, TenantJson.MAX_SET_BYTES), unread);
    TenantSetChange change =
        unread.isEmpty()
            ? admin(login, uri).replaceAll(tenants, expected, dryRun)
            : TenantSetChange.refused(unread);
    List<RefusalDto> refusals =
        change.refusals().stream().map(TenantsResource::refusal).collect(Collectors.toList());
    if (!dryRun && !refusals.isEmpty()) {
      return RefusedSet.of(change.refusals(), refusals).response().build();
    }
    return Response.ok(new TenantSetChangeDto(change, !dryRun, refusals)).build();
  }

  private static RefusalDto refusal(SluiceException reason) {
    return new RefusalDto(
        pointer(reason.field().orElse("")), reason.value(), reason.getMessage(), reason.remedy());
  }

  /** A path as a JSON pointer (RFC 6901). */
  private static String pointer(String path) {
    return path.isEmpty() ? "" : "/" + path.replace("[", ".").replace("]", "").replace('.', '/');
  }

  @GET
  @Path("{id}")
  @ForTenants
  public Response read(
      @PathParam("id") String id, @Context HttpHeaders headers, @Context SecurityContext login)
      throws SluiceException {
    Tenant tenant =
        Ids.parse(id, TenantId::of)
            .filter(Callers.of(login)::sees)
            .flatMap(admin()::tenant)
            .orElseThrow(() -> unknown(id));
    TenantRates rates = services.get(TenantRateService.class).rates(tenant.id());
    return new Conditional(headers)
        .read(EntityTags.of(tenant), () -> new TenantStatusDto(tenant, rates));
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Takes(ALLOW_REFUSED_ADDRESSES)
  public Response create(InputStream body, @Context UriInfo uri, @Context SecurityContext login)
      throws SluiceException, IOException {
    Tenant tenant = TenantJson.read(RequestBody.readObject(body), "");
    admin(login, uri).create(tenant);
    return created(tenant, uri);
  }

  /** Creates or replaces the tenant; a field that is not given takes its default. */
  @PUT
  @Path("{id}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Takes(ALLOW_REFUSED_ADDRESSES)
  public Response put(
      @PathParam("id") String id,
      InputStream body,
      @Context HttpHeaders headers,
      @Context UriInfo uri,
      @Context SecurityContext login)
      throws SluiceException, IOException {
    TenantId named;
    try {
      named = TenantId.of(id);
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid("id", id, e.getMessage(), "Use an id such as t1 in the path");
    }
    Tenant tenant = TenantJson.readWhole(RequestBody.readObject(body), named);
    boolean isNew =
        admin(login, uri).put(tenant, new Conditional(headers).expected(EntityTags::of));
    return isNew ? created(tenant, uri) : ok(tenant);
  }

  /** Changes the fields that are given; members are replaced, or some added and removed. */
  @PATCH
  @Path("{id}")
  @Consumes({MediaType.APPLICATION_JSON, MERGE_PATCH})
  @Takes(ALLOW_REFUSED_ADDRESSES)
  public Response patch(
      @PathParam("id") String id,
      InputStream body,
      @Context HttpHeaders headers,
      @Context UriInfo uri,
      @Context SecurityContext login)
      throws SluiceException, IOException {
    ObjectNode changes = RequestBody.readObject(body);
    TenantId named = Ids.parse(id, TenantId::of).orElseThrow(() -> unknown(id));
    Expectation<Tenant> expected = new Conditional(headers).expected(EntityTags::of);
    return ok(
        admin(login, uri)
            .change(
                named,
                present -> {
                  Tenant before = present.orElseThrow(() -> unknown(id));
                  expected.check(present);
                  return TenantJson.readPatched(changes, before);
                }));
  }

  @DELETE
  @Path("{id}")
  @Takes(ALLOW_REFUSED_ADDRESSES)
  public Response remove(
      @PathParam("id") String id,
      @Context HttpHeaders headers,
      @Context UriInfo uri,
      @Context SecurityContext login)
      throws SluiceException {
    // Without reading it first: a tenant that cannot be read can still be removed.
    admin(login, uri)
        .remove(
            Ids.parse(id, TenantId::of).orElseThrow(() -> unknown(id)),
            new Conditional(headers).expected(EntityTags::of));
    return Response.noContent().build();
  }

  private TenantAdminService admin() throws SluiceException {
    return services.get(TenantAdminService.class);
  }

  private TenantAdminService admin(SecurityContext login, UriInfo uri) throws SluiceException {
    TenantAdminService tenants = admin().by(Callers.name(login));
    return new QueryParameters(uri).flag(ALLOW_REFUSED_ADDRESSES)
        ? tenants.allowingRefusedAddresses()
        : tenants;
  }

  private static SluiceException unknown(String id) {
    return SluiceException.notFound("id", id, "There is no such tenant");
  }

  private static Response ok(Tenant tenant) {
    return Response.ok(new TenantDto(tenant)).tag(EntityTags.of(tenant)).build();
  }

  private static Response created(Tenant tenant, UriInfo uri) {
    return Response.created(
            uri.getBaseUriBuilder().path("tenants").path(tenant.id().name()).build())
        .entity(new TenantDto(tenant))
        .tag(EntityTags.of(tenant))
        .build();
  }
}
