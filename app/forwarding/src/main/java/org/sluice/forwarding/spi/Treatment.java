// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What a rule does with a packet, in this order: meter, group or outputs, another table. */
@AutoValue
public abstract class Treatment {
  /** The controller, among outputs: OpenFlow's OFPP_CONTROLLER. */
  public static final long CONTROLLER = 0xfffffffdL;

  /** Neither an output, nor a group, nor another table. */
  public static final Treatment DROP = builder().build();

  public static Builder builder() {
    return new AutoValue_Treatment.Builder().outputs(List.of());
  }

  /** Sends it out of a port. */
  public static Treatment output(long port) {
    return builder().outputs(List.of(port)).build();
  }

  /** The meter that it passes first. */
  public abstract OptionalLong meter();

  /** The group that has it then. */
  public abstract OptionalLong group();

  /** The ports by which it leaves, {@link #CONTROLLER} for one, in this order. */
  public abstract List<Long> outputs();

  /** The table that has it after all that. */
  public abstract OptionalInt gotoTable();

  /** Collects steps. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder meter(long id);

    public abstract Builder group(long id);

    public abstract Builder outputs(List<Long> ports);

    public abstract Builder gotoTable(int table);

    public abstract Treatment build();
  }
}
