// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import org.onosproject.security.AuditService;

/** What is ONOS's of all commands. */
final class ShellPlatform {
  /** What commands' names are in. */
  static final String SCOPE = "onos";

  /** How Sluice is started. */
  static final String START = "app activate org.sluice";

  private ShellPlatform() {}

  /** Has a command recorded where ONOS records commands: the shell names threads by what is typed. */
  static void record(ServiceDirectory services) {
    AuditService audit = services.get(AuditService.class);
    if (audit.isAuditing()) {
      String typed = Thread.currentThread().getName().replaceFirst("^pipe-", "");
      audit.logUserAction(ShellLogin.user(), "{\"command\" : \"" + typed + "\"}");
    }
  }
}
