// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.core.SecurityContext;
import org.sluice.api.access.Caller;

/** Who sends a request. */
final class Callers {
  private Callers() {}

  /** The user that the container logged in. */
  static Caller of(SecurityContext login) {
    return Caller.of(login::isUserInRole);
  }
}
