// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.PathSegment;
import javax.ws.rs.core.SecurityContext;
import javax.ws.rs.ext.Provider;
import org.sluice.api.access.Caller;

/** Refuses tenants' users what is beyond their {@link RequestBudget}. */
@Provider
public final class BudgetFilter implements ContainerRequestFilter {
  private static final int TOO_MANY_REQUESTS = 429;

  @Context private Configuration application;

  @Override
  public void filter(ContainerRequestContext request) {
    SecurityContext login = request.getSecurityContext();
    Caller caller = Callers.of(login);
    if (caller.seesAll()) {
      return;
    }
    List<PathSegment> path = request.getUriInfo().getPathSegments();
    boolean explains = !path.isEmpty() && path.get(path.size() - 1).getPath().equals("why");
    int requests = explains ? RequestBudget.EXPLANATION : 1;
    if (!RequestBudget.of(application).take(Callers.name(login), requests)) {
      request.abortWith(
          new Problem(
                  TOO_MANY_REQUESTS,
                  "too-many-requests",
                  "Too many requests",
                  "A tenant's user may send "
                      + RequestBudget.REQUESTS_PER_SECOND
                      + " requests a second, of which one that ends in /why counts "
                      + RequestBudget.EXPLANATION)
              .remedy("Wait a second; follow what changes by the stream instead of polling")
              .response()
              .header(HttpHeaders.RETRY_AFTER, 1)
              .build());
    }
  }
}
