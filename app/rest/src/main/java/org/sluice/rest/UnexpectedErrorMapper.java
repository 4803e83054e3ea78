// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.UUID;
import javax.ws.rs.core.Response;
import javax.ws.rs.ext.ExceptionMapper;
import javax.ws.rs.ext.Provider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the insides of a fault in the log and tells the caller where to find them. */
@Provider
public final class UnexpectedErrorMapper implements ExceptionMapper<Throwable> {
  private static final Logger log = LoggerFactory.getLogger(UnexpectedErrorMapper.class);

  @Override
  public Response toResponse(Throwable error) {
    String reference = UUID.randomUUID().toString();
    log.error("Request failed, reference {}", reference, error);
    return new Problem(
            500, "internal", "Sluice failed", "The request met a fault in Sluice: " + reference)
        .remedy("Look for " + reference + " in the controller's log and report it")
        .response()
        .build();
  }
}
