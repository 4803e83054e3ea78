// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

/**
 * Where a value was written.
 *
 * @param source a file, or the option on the command line
 * @param line from 1; 0 where there are no lines
 */
public record Origin(String source, int line) {
  @Override
  public String toString() {
    return line > 0 ? source + ":" + line : source;
  }
}
