// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.topology;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** One direction of a link between two switches. */
@AutoValue
public abstract class SwitchLink {

  public static SwitchLink of(PortId source, PortId target) {
    return new AutoValue_SwitchLink(source, target);
  }

  /** The port by which packets leave. */
  public abstract PortId source();

  /** The port at which they arrive. */
  public abstract PortId target();
}
