// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

/**
 * Something wrong in a scenario.
 *
 * @param origin where
 * @param key the dotted path of the value
 * @param complaint what is wrong
 * @param remedy what would be right
 */
public record Problem(Origin origin, String key, String complaint, String remedy) {
  @Override
  public String toString() {
    String where = key.isEmpty() ? origin.toString() : origin + ": " + key;
    return where + ": " + complaint + "; " + remedy;
  }
}
