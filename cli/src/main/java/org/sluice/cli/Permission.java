// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import org.sluice.api.access.Caller;

/** What a command does that not every user may. */
enum Permission {
  /** It changes tenants or switches. */
  CHANGE_ALL("the role " + Caller.ADMIN_ROLE),
  /** It shows what concerns all tenants. */
  SEE_ALL("the role " + Caller.ADMIN_ROLE + " or " + Caller.VIEWER_ROLE),
  /** It shows each user what that one may see. */
  SEE_OWN("the role admin, viewer, or sluice-tenant with sluice-tenant-NAME"),
  /** It registers or withdraws deadlines. */
  REGISTER("the role " + Caller.ADMIN_ROLE + ", or a tenant's with " + Caller.DEADLINES_ROLE);

  private final String roles;

  Permission(String roles) {
    this.roles = roles;
  }

  /** The roles that give it, in words. */
  String roles() {
    return roles;
  }

  boolean isGivenTo(Caller caller) {
    switch (this) {
      case CHANGE_ALL:
        return caller.changesAll();
      case SEE_ALL:
        return caller.seesAll();
      case SEE_OWN:
        return caller.role() != Caller.Role.NONE;
      case REGISTER:
        return caller.registersDeadlines();
      default:
        throw new IllegalStateException(name());
    }
  }
}
