// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** A packet that a port's agent keeps is to be sent again. */
@AutoValue
public abstract class Resend {

  /**
   * One to send again.
   *
   * @param kept as {@link Loss#kept} named it
   */
  public static Resend of(PortId port, long kept) {
    return new AutoValue_Resend(port, kept);
  }

  public abstract PortId port();

  public abstract long kept();
}
