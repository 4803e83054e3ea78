// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.ws.rs.Priorities;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.container.DynamicFeature;
import javax.ws.rs.container.ResourceInfo;
import javax.ws.rs.core.FeatureContext;
import javax.ws.rs.ext.Provider;

/**
 * Refuses query parameters that a resource method does not take: a filter with a slip of the pen
 * would otherwise be none.
 */
@Provider
public final class KnownParameters implements DynamicFeature {
  /** Behind {@link AccessFilter}: who may not read learns nothing. */
  private static final int PRIORITY = Priorities.USER + 1;

  @Override
  public void configure(ResourceInfo resource, FeatureContext context) {
    Takes takes = resource.getResourceMethod().getAnnotation(Takes.class);
    context.register(new Check(takes == null ? List.of() : List.of(takes.value())), PRIORITY);
  }

  private static final class Check implements ContainerRequestFilter {
    private final List<String> known;

    Check(List<String> known) {
      this.known = known;
    }

    @Override
    public void filter(ContainerRequestContext request) {
      var given = request.getUriInfo().getQueryParameters();
      Optional<String> nameless = nameless(request.getUriInfo().getRequestUri());
      if (nameless.isPresent()) {
        request.abortWith(
            new Problem(400, "invalid", "Invalid request", "This parameter has no name")
                .about("", nameless.get())
                .remedy(remedy())
                .response()
                .build());
      }
      Set<String> unknown = new TreeSet<>(given.keySet());
      unknown.removeAll(known);
      if (!unknown.isEmpty()) {
        String first = unknown.iterator().next();
        request.abortWith(
            new Problem(400, "invalid", "Invalid request", detail(unknown))
                .about(first, given.getFirst(first))
                .remedy(remedy())
                .response()
                .build());
      }
    }

    /** The first value without a name: Jersey passes over them. */
    private static Optional<String> nameless(URI uri) {
      String query = uri.getRawQuery();
      return Arrays.stream(query == null ? new String[0] : query.split("&"))
          .filter(parameter -> parameter.startsWith("="))
          .map(parameter -> parameter.substring(1))
          .findFirst();
    }

    private static String detail(Set<String> unknown) {
      return unknown.size() == 1
          ? "There is no such parameter"
          : "There are no such parameters: " + String.join(", ", unknown);
    }

    private String remedy() {
      return known.isEmpty()
          ? "Leave it out: this takes no parameters"
          : "Use these parameters: " + String.join(", ", known);
    }
  }
}
