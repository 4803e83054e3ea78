// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.security.AccessController;
import java.security.Principal;
import javax.security.auth.Subject;
import org.sluice.api.access.Caller;

/** Who has logged in to the shell: Karaf runs a session's commands as that user. */
final class ShellLogin {
  private static final String ROLE = "org.apache.karaf.jaas.boot.principal.RolePrincipal";
  private static final String USER = "org.apache.karaf.jaas.boot.principal.UserPrincipal";
  private static final String UNKNOWN = "unknown";

  private ShellLogin() {}

  /** The user of this thread; without a login it has no role. */
  static Caller caller() {
    Subject user = Subject.getSubject(AccessController.getContext());
    return Caller.of(role -> user != null && hasRole(user, role));
  }

  /** The name of this thread's user. */
  static String user() {
    Subject user = Subject.getSubject(AccessController.getContext());
    if (user != null) {
      for (Principal principal : user.getPrincipals()) {
        if (principal.getClass().getName().equals(USER)) {
          return principal.getName();
        }
      }
    }
    return UNKNOWN;
  }

  private static boolean hasRole(Subject user, String role) {
    for (Principal principal : user.getPrincipals()) {
      if (principal.getClass().getName().equals(ROLE) && principal.getName().equals(role)) {
        return true;
      }
    }
    return false;
  }
}
