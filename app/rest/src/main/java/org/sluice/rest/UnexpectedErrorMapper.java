// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.UUID;
import javax.ws.rs.core.Response;
import javax.ws.rs.ext.ExceptionMapper;
import javax.ws.rs.ext.Provider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs an unexpected error, and returns a reference to the log entry and nothing more. */
@Provider
public final class UnexpectedErrorMapper implements ExceptionMapper<Throwable> {
  private static final Logger log = LoggerFactory.getLogger(UnexpectedErrorMapper.class);

  @Override
  public Response toResponse(Throwable error) {
    String reference = UUID.randomUUID().toString();
    log.error("Request failed, reference {}", reference, error);
    return new Problem(
            500, "internal", "Internal error", "Sluice failed on this request: " + reference)
        .remedy("Look for " + reference + " in the controller's log and report it")
        .response()
        .build();
  }
}
