// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** The congestion controls, by the names that scenarios use. */
public enum CongestionControls {
  NEW_RENO("newreno", EcnMode.OFF, (parameters, random) -> new NewReno(parameters)),
  CUBIC("cubic", EcnMode.OFF, (parameters, random) -> new Cubic(parameters)),
  DCTCP("dctcp", EcnMode.DCTCP, (parameters, random) -> new Dctcp(parameters)),
  DA_DCTCP("dadctcp", EcnMode.DCTCP, (parameters, random) -> new DaDctcp(parameters)),
  F_DCTCP("fdctcp", EcnMode.DCTCP, (parameters, random) -> new FDctcp(parameters)),
  D2TCP("d2tcp", EcnMode.DCTCP, (parameters, random) -> new D2tcp(parameters)),
  BBR_V1("bbr", EcnMode.OFF, (parameters, random) -> new BbrV1(random));

  private final String label;
  private final EcnMode ecn;
  private final BiFunction<TcpParameters, SplittableRandom, CongestionControl> maker;

  CongestionControls(
      String label,
      EcnMode ecn,
      BiFunction<TcpParameters, SplittableRandom, CongestionControl> maker) {
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

  CongestionControl create(TcpParameters parameters, SplittableRandom random) {
    return maker.apply(parameters, random);
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
