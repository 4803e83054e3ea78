// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.stream.Collectors;
import javax.ws.rs.WebApplicationException;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.Request;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.UriInfo;
import javax.ws.rs.ext.ExceptionMapper;
import javax.ws.rs.ext.Provider;

/** Maps what JAX-RS itself refuses to problem documents. */
@Provider
public final class HttpErrorMapper implements ExceptionMapper<WebApplicationException> {
  @Context private UriInfo uri;
  @Context private Request request;
  @Context private HttpHeaders headers;

  @Override
  public Response toResponse(WebApplicationException error) {
    Response refused = error.getResponse();
    Response.ResponseBuilder response = problem(refused).response();
    String allowed = refused.getHeaderString(HttpHeaders.ALLOW);
    if (allowed != null) {
      response.header(HttpHeaders.ALLOW, allowed);
    }
    return response.build();
  }

  private Problem problem(Response refused) {
    int status = refused.getStatus();
    switch (status) {
      case 404:
        return new Problem(404, "not-found", "Not found", "There is no such resource")
            .about("path", "/" + uri.getPath())
            .remedy("GET openapi.json lists all paths");
      case 405:
        return new Problem(
                405,
                "method-not-allowed",
                "Method not allowed",
                "The resource does not have this method")
            .about("method", request.getMethod())
            .remedy("Use one of " + methods(refused));
      case 406:
        return new Problem(
                406, "not-acceptable", "Not acceptable", "The response is available as JSON only")
            .about("Accept", header(HttpHeaders.ACCEPT))
            .remedy("Accept application/json and application/problem+json");
      case 415:
        return Problem.notJson(header(HttpHeaders.CONTENT_TYPE));
      default:
        return new Problem(
                status,
                "http-" + status,
                refused.getStatusInfo().getReasonPhrase(),
                "The request is refused")
            .remedy("Check the request against openapi.json");
    }
  }

  private static String methods(Response refused) {
    return refused.getAllowedMethods().stream().sorted().collect(Collectors.joining(", "));
  }

  private String header(String name) {
    String value = headers.getHeaderString(name);
    return value == null ? "" : value;
  }
}
