// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** One direction of a link between two switches. */
@AutoValue
public abstract class Link {

  public static Link of(PortId from, PortId to) {
    return new AutoValue_Link(from, to);
  }

  public abstract PortId from();

  public abstract PortId to();
}
