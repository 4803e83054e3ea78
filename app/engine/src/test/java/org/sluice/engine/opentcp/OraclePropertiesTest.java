// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.engine.opentcp.SmallFabric.A;
import static org.sluice.engine.opentcp.SmallFabric.B;
import static org.sluice.engine.opentcp.SmallFabric.LINKS;
import static org.sluice.engine.opentcp.SmallFabric.UP_A;
import static org.sluice.engine.opentcp.SmallFabric.fast;
import static org.sluice.engine.opentcp.SmallFabric.set;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Links;
import org.sluice.api.policy.Policy.Scope;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;

class OraclePropertiesTest {
  private static final int CYCLES = 120;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Random loads and drops, counters that jump, readings that fail. */
  private static void disturb(SmallFabric network, SplittableRandom random) {
    for (int link = 0; link < LINKS; link++) {
      network.utilisation[link] = random.nextDouble() * (random.nextInt(3) == 0 ? 1 : 0.5);
      network.dropRate[link] = random.nextInt(4) == 0 ? random.nextDouble() * 0.003 : 0;
      network.isRead[link] = random.nextInt(20) != 0;
      if (random.nextInt(60) == 0) {
        network.bytes[link] = random.nextLong();
        network.drops[link] = 0;
      }
    }
    if (random.nextBoolean()) {
      network.oracle.matrix().add(random.nextInt(2), random.nextInt(2), random.nextInt(1000));
      network.oracle.matrix().roll();
    }
  }

  private static PolicySet randomSet(SplittableRandom random) {
    int count = 1 + random.nextInt(3);
    Policy[] policies = new Policy[count];
    for (int i = 0; i < count; i++) {
      double enter = 0.1 + random.nextDouble() * 0.6;
      Limits leave = Limits.of(enter + random.nextDouble() * 0.2, Limits.NO_LIMIT);
      policies[i] =
          Policy.builder("p" + i)
              .scope(Scope.values()[random.nextInt(3)])
              .links(Links.values()[random.nextInt(3)])
              .enterBelow(Limits.of(enter, random.nextBoolean() ? 0.001 : Limits.NO_LIMIT))
              .leaveAt(leave)
              .leastCycles(1 + random.nextInt(4))
              .hint(TcpHint.builder().initialWindowSegments(11 + i).build())
              .build();
    }
    return set(policies);
  }

  @Property(tries = 200)
  void statesLastTheirMinimumCyclesExceptForConstraints(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int leastCycles) {
    SplittableRandom random = new SplittableRandom(seed);
    SmallFabric network = new SmallFabric();
    network.oracle.apply(set(fast(0.4, 0.5).leastCycles(leastCycles).build()));
    boolean active = false;
    int since = leastCycles;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      disturb(network, random);
      network.cycle();
      PolicyDecision decision = network.oracle.state().decisions().get(0);
      if (decision.isActive() != active) {
        boolean isForced =
            !decision.isActive()
                && (Double.isNaN(decision.utilisation())
                    || Double.isNaN(decision.dropRate())
                    || decision.utilisation() >= 0.7
                    || decision.dropRate() >= 0.001);
        assertThat(isForced || since >= leastCycles).as("after %d cycles", since).isTrue();
        active = decision.isActive();
        since = 0;
      }
      since++;
    }
  }

  @Property(tries = 200)
  void noHintHoldsWhileLinksViolateAConstraint(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SmallFabric network = new SmallFabric();
    network.oracle.apply(randomSet(random));
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      disturb(network, random);
      network.cycle();
      for (PolicyDecision decision : network.oracle.state().decisions()) {
        assertThat(decision.isActive() && !(decision.utilisation() < 0.7)).isFalse();
        assertThat(decision.isActive() && !(decision.dropRate() < 0.001)).isFalse();
      }
    }
  }

  @Property(tries = 100)
  void isDeterministic(@ForAll long seed) {
    assertThat(run(seed)).isEqualTo(run(seed));
  }

  private static String run(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SmallFabric network = new SmallFabric();
    network.oracle.apply(randomSet(random));
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      disturb(network, random);
      network.cycle();
    }
    return network.sent + " " + network.hints + " " + network.oracle.state();
  }

  /** A dry run is what the next evaluation of the same state does. */
  @Property(tries = 100)
  void sentHintsMatchTheState(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SmallFabric network = new SmallFabric();
    network.oracle.apply(randomSet(random));
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      disturb(network, random);
      network.cycle();
      long given = network.hints.values().stream().filter(hint -> !hint.isEmpty()).count();
      assertThat(network.oracle.state().hints()).hasSize((int) given);
    }
  }

  /** One link less loaded: whoever had a hint has it still. */
  @Property(tries = 200)
  void lowerLoadOnALinkEndsNoHint(@ForAll long seed, @ForAll @IntRange(max = 5) int link) {
    SplittableRandom random = new SplittableRandom(seed);
    PolicySet set = randomSet(random);
    SmallFabric more = new SmallFabric();
    SmallFabric less = new SmallFabric();
    for (int i = 0; i < LINKS; i++) {
      more.utilisation[i] = random.nextDouble();
      less.utilisation[i] = i == link ? more.utilisation[i] / 2 : more.utilisation[i];
    }
    for (SmallFabric network : new SmallFabric[] {more, less}) {
      network.oracle.apply(set);
      network.oracle.matrix().add(A, B, 1);
      network.oracle.matrix().roll();
      network.cycles(5);
    }
    for (int i = 0; i < more.oracle.state().decisions().size(); i++) {
      boolean before = more.oracle.state().decisions().get(i).isActive();
      assertThat(less.oracle.state().decisions().get(i).isActive() || !before).isTrue();
    }
  }

  @Example
  void steadyCyclesAllocateNothing() {
    SmallFabric network = new SmallFabric();
    network.oracle.apply(
        set(
            fast(0.5, 0.6).build(),
            Policy.builder("pairs")
                .scope(Scope.PAIRS)
                .links(Links.PATH)
                .hint(TcpHint.builder().initialWindowSegments(12).build())
                .build()));
    network.utilisation[UP_A] = 0.3;
    network.cycles(2000);
    long least = Long.MAX_VALUE;
    for (int batch = 0; batch < 50 && least > 0; batch++) {
      long before = allocated();
      for (int i = 0; i < 20; i++) {
        network.oracle.matrix().add(A, B, 1000);
        network.oracle.matrix().roll();
        network.cycle();
      }
      least = Math.min(least, allocated() - before);
    }
    assertThat(least).isZero();
    assertThat(network.isFast(A)).isTrue();
  }

  private static long allocated() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
