// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** A cap that was decided on, and that nothing could enforce. */
@AutoValue
public abstract class UnenforcedCap {

  public static UnenforcedCap of(PortId upstream, PortId downstream) {
    return new AutoValue_UnenforcedCap(upstream, downstream);
  }

  /** It has no agent with levels, and its switch takes no meter. */
  public abstract PortId upstream();

  /** Where short flows wait. */
  public abstract PortId downstream();
}
