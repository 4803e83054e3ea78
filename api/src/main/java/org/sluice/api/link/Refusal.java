// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;

/** An agent was turned away, or one of its messages was not accepted. */
@AutoValue
public abstract class Refusal {

  public static Refusal of(String who, String reason) {
    return new AutoValue_Refusal(who, reason);
  }

  /** The host as its certificate names it, else its address. */
  public abstract String who();

  /** What was refused and why, in a sentence. */
  public abstract String reason();
}
