// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import java.util.List;
import java.util.Optional;
import org.sluice.api.SluiceException;

/**
 * The policies of the OpenTCP lecture ("OpenTCP Variants"): initial window 20 and RTO 2 ms as long
 * as the fullest link is below 70 %.
 */
public final class PolicyPresets {
  private static final int INITIAL_WINDOW_SEGMENTS = 20;
  private static final long RTO_MIN_NANOS = 2_000_000L;

  private PolicyPresets() {}

  /** All of them. */
  public static List<PolicySet> all() {
    return List.of(openTcp1(), openTcp2());
  }

  /** The one of that name. */
  public static Optional<PolicySet> find(String name) {
    return all().stream().filter(set -> set.name().equals(name)).findFirst();
  }

  /** OpenTCP1: by utilisation alone. As printed: drops do not end it, so the set says so. */
  public static PolicySet openTcp1() {
    return preset("opentcp1", Limits.of(PolicyConstraints.UTILISATION, Limits.NO_LIMIT));
  }

  /** OpenTCP2: also keeps drops below 0.1 %. */
  public static PolicySet openTcp2() {
    return preset(
        "opentcp2", Limits.of(PolicyConstraints.UTILISATION, PolicyConstraints.DROP_RATE));
  }

  private static PolicySet preset(String name, Limits limits) {
    Policy policy =
        Policy.builder("short-flows")
            .enterBelow(limits)
            .leaveAt(limits)
            .hint(
                TcpHint.builder()
                    .initialWindowSegments(INITIAL_WINDOW_SEGMENTS)
                    .rtoMinNanos(RTO_MIN_NANOS)
                    .build())
            .build();
    try {
      return PolicySet.builder(name)
          .constraints(PolicyConstraints.builder().guard(limits).build())
          .policies(List.of(policy))
          .build();
    } catch (SluiceException e) {
      throw new IllegalStateException("a preset is wrong: " + e.getMessage(), e);
    }
  }
}
