// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

/** Names of variants as parts of file names. */
final class FileNames {
  private FileNames() {}

  static String of(String name) {
    return name.replaceAll("[^A-Za-z0-9.-]+", "-").replaceAll("^[-.]+|-+$", "");
  }
}
