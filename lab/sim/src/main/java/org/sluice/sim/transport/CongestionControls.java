// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The congestion controls, by the names that scenarios use. */
public enum CongestionControls {
  NEW_RENO("newreno", EcnMode.OFF, NewReno::new);

  private final String label;
  private final EcnMode ecn;
  private final Function<TcpParameters, CongestionControl> maker;

  CongestionControls(String label, EcnMode ecn, Function<TcpParameters, CongestionControl> maker) {
    this.label = label;
    this.ecn = ecn;
    this.maker = maker;
  }

  /** Its name in scenarios. */
  public String label() {
    return label;
  }

  /** The ECN that it needs. */
  EcnMode ecn() {
    return ecn;
  }

  CongestionControl create(TcpParameters parameters) {
    return maker.apply(parameters);
  }

  /**
   * The one of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static CongestionControls named(String label) {
    for (CongestionControls each : values()) {
      if (each.label.equals(label)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "there is no congestion control "
            + label
            + "; choose one of "
            + Arrays.stream(values())
                .map(CongestionControls::label)
                .collect(Collectors.joining(", ")));
  }
}
