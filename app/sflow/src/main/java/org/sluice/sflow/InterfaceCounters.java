// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import com.google.auto.value.AutoValue;
import org.sluice.api.IpAddress;

/** The generic counters of a switch's interface, as it sent them: they may wrap and begin anew. */
@AutoValue
public abstract class InterfaceCounters {
  static Builder builder() {
    return new AutoValue_InterfaceCounters.Builder();
  }

  /** The address that the switch gives as its own. */
  public abstract IpAddress agent();

  /** The part of the switch that sent it; of Open vSwitch a bridge. */
  public abstract long subAgent();

  public abstract long ifIndex();

  /** Nominal, bit/s; 0: unknown. */
  public abstract long speedBitsPerSecond();

  /** Octets that came in, modulo 2^64. */
  public abstract long inOctets();

  /** Octets that went out, modulo 2^64. */
  public abstract long outOctets();

  /** Packets that came in and were dropped without a fault, modulo 2^32. */
  public abstract long inDiscards();

  /** Packets that were to go out and were dropped without a fault, modulo 2^32. */
  public abstract long outDiscards();

  /** Makes one. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder agent(IpAddress value);

    abstract Builder subAgent(long value);

    abstract Builder ifIndex(long value);

    abstract Builder speedBitsPerSecond(long value);

    abstract Builder inOctets(long value);

    abstract Builder outOctets(long value);

    abstract Builder inDiscards(long value);

    abstract Builder outDiscards(long value);

    abstract InterfaceCounters build();
  }
}
