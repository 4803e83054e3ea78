// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Set;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.container.ResourceInfo;
import javax.ws.rs.core.Context;
import javax.ws.rs.ext.Provider;
import org.sluice.api.access.Caller;

/**
 * Lets a request through to its resource if the user's role may use that at all: administrators
 * all, viewers what reads, tenants' users what is {@link ForTenants}. Which things those see the
 * resource decides.
 */
@Provider
public final class AccessFilter implements ContainerRequestFilter {
  static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  private static final int FORBIDDEN = 403;

  @Context private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext request) {
    Caller caller = Callers.of(request.getSecurityContext());
    boolean reading = READING.contains(request.getMethod());
    if (caller.changesAll() || caller.seesAll() && reading) {
      return;
    }
    if (caller.role() == Caller.Role.NONE) {
      refuse(
          request,
          "This user has none of Sluice's roles",
          "Give the user the role admin, viewer, or sluice-tenant with sluice-tenant-NAME");
    } else if (!isForTenants()) {
      refuseRole(request, caller, reading);
    } else if (!reading && !caller.registersDeadlines()) {
      refuse(
          request,
          "This user may not register deadlines",
          "Authenticate as a user with the role admin, or give this tenant's user the role "
              + Caller.DEADLINES_ROLE);
    }
  }

  private static void refuseRole(ContainerRequestContext request, Caller caller, boolean reading) {
    if (reading) {
      refuse(
          request,
          "A tenant's user sees its own endpoints, flows, deadlines and journal entries only",
          "Use access, tenants, endpoints, flows, deadlines or journal; or authenticate as a user"
              + " with the role viewer");
    } else {
      refuse(
          request,
          caller.seesAll()
              ? "Only administrators may change anything"
              : "A tenant's user may not change this",
          "Authenticate as a user with the role " + Caller.ADMIN_ROLE);
    }
  }

  private boolean isForTenants() {
    return resource.getResourceMethod() != null
        && resource.getResourceMethod().isAnnotationPresent(ForTenants.class);
  }

  private static void refuse(ContainerRequestContext request, String detail, String remedy) {
    request.abortWith(
        new Problem(FORBIDDEN, "forbidden", "Forbidden", detail)
            .about("method", request.getMethod())
            .remedy(remedy)
            .response()
            .build());
  }
}
