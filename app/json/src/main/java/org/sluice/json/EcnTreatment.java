// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import java.util.Locale;

/** What becomes of congestion marks before a tenant's VMs. */
enum EcnTreatment {
  CLEAR,
  PRESERVE;

  static EcnTreatment of(boolean preserve) {
    return preserve ? PRESERVE : CLEAR;
  }

  /**
   * The treatment of this name in lower case.
   *
   * @throws IllegalArgumentException if there is none
   */
  static EcnTreatment parse(String text) {
    for (EcnTreatment treatment : values()) {
      if (treatment.name().toLowerCase(Locale.ROOT).equals(text)) {
        return treatment;
      }
    }
    throw new IllegalArgumentException("There is no such treatment of ECN");
  }
}
