// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Shrinkable;
import net.jqwik.api.ShrinkingDistance;

/** Random cases that jqwik can shrink. */
final class Cases {
  private Cases() {}

  /** Of all kinds alike. */
  static Arbitrary<FairnessCase> any(CaseKind.Size size) {
    return Arbitraries.of(CaseKind.values()).flatMap(kind -> of(kind, size));
  }

  static Arbitrary<FairnessCase> of(CaseKind kind, CaseKind.Size size) {
    return Arbitraries.fromGenerator(random -> new Shrinking(kind.draw(random, size)));
  }

  private record Shrinking(FairnessCase value) implements Shrinkable<FairnessCase> {
    @Override
    public Stream<Shrinkable<FairnessCase>> shrink() {
      return value.smaller().map(Shrinking::new);
    }

    @Override
    public ShrinkingDistance distance() {
      return ShrinkingDistance.of(
          value.endpoints().size(), value.links().size(), value.toString().length());
    }
  }
}
