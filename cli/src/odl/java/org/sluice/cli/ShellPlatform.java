// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

/** What is OpenDaylight's of all commands. */
final class ShellPlatform {
  /** What commands' names are in. */
  static final String SCOPE = "sluice";

  /** How Sluice is started. */
  static final String START = "feature:install sluice";

  private ShellPlatform() {}

  /** Karaf itself records commands (org.apache.karaf.audit). */
  static void record(ServiceDirectory services) {}
}
