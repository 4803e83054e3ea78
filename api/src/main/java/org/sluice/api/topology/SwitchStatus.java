// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.topology;

import com.google.auto.value.AutoValue;
import java.util.OptionalInt;

/** A switch of the network. */
@AutoValue
public abstract class SwitchStatus {

  /**
   * A switch.
   *
   * @param datapath as its controller names it ({@code of:0000000000000001})
   * @param name what people call it; the datapath where it has no other name
   * @param available whether it is connected to the cluster now
   * @param layer links to the nearest switch with an attachment; empty: no way leads to one
   */
  public static SwitchStatus of(
      String datapath, String name, boolean available, OptionalInt layer) {
    return new AutoValue_SwitchStatus(datapath, name, available, layer);
  }

  /** As its controller names it ({@code of:0000000000000001}). */
  public abstract String datapath();

  /** What people call it; the datapath where it has no other name. */
  public abstract String name();

  /** Whether it is connected to the cluster now. */
  public abstract boolean available();

  /** Links to the nearest switch with an attachment; empty: no way leads to one. */
  public abstract OptionalInt layer();
}
