// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.security.Principal;
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.access.Caller;

/** Who sends a request. */
final class Callers {
  private Callers() {}

  /** The user that the container logged in. */
  static Caller of(SecurityContext login) {
    return Caller.of(login::isUserInRole);
  }

  /** The name of that user, for what remembers who changed it. */
  static String name(SecurityContext login) {
    Principal user = login.getUserPrincipal();
    return user == null ? "unknown" : user.getName();
  }
}
