// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import org.sluice.api.PortId;

/** A physical port of a switch that is up. */
@AutoValue
public abstract class SwitchPort {

  /**
   * A port.
   *
   * @param speedBitsPerSecond as the switch reports it; 0: it does not
   */
  public static SwitchPort of(PortId id, long speedBitsPerSecond) {
    return new AutoValue_SwitchPort(id, speedBitsPerSecond, Optional.empty());
  }

  /** The same port with the name that the platform has for it, {@code leaf1:eth3}. */
  public final SwitchPort named(String name) {
    return new AutoValue_SwitchPort(id(), speedBitsPerSecond(), Optional.of(name));
  }

  public abstract PortId id();

  /** Bit/s as the switch reports it; 0: it does not. */
  public abstract long speedBitsPerSecond();

  /** What the platform calls it, with its switch; empty: it has no name. */
  public abstract Optional<String> name();
}
