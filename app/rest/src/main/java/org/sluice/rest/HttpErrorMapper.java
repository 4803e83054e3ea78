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

/** Turns what the HTTP machinery itself refuses into problem documents. */
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
        return new Problem(404, "not-found", "There is no such thing", "There is no such resource")
            .about("path", "/" + uri.getPath())
            .remedy("GET openapi.json for the paths there are");
      case 405:
        return new Problem(
                405, "method-not-allowed", "The resource does not do this", "No such method here")
            .about("method", request.getMethod())
            .remedy("Use one of " + methods(refused));
      case 406:
        return new Problem(
                406, "not-acceptable", "No such representation", "The answer would be JSON")
            .about("Accept", header(HttpHeaders.ACCEPT))
            .remedy("Accept application/json and application/problem+json");
      case 415:
        return new Problem(
                415, "unsupported-media-type", "The body is not understood", "Only JSON is read")
            .about("Content-Type", header(HttpHeaders.CONTENT_TYPE))
            .remedy("Send Content-Type: application/json");
      default:
        return new Problem(
                status, "http-" + status, refused.getStatusInfo().getReasonPhrase(), "Refused")
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
