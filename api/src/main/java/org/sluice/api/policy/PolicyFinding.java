// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;

/** Something in a valid policy set that does not fit the network. */
@AutoValue
public abstract class PolicyFinding {

  /**
   * A finding.
   *
   * @param field as in the set's JSON form ({@code policies[0].from[1]})
   */
  public static PolicyFinding of(String field, String value, String message, String remedy) {
    return new AutoValue_PolicyFinding(field, value, message, remedy);
  }

  public abstract String field();

  public abstract String value();

  public abstract String message();

  public abstract String remedy();
}
