// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.sluice.sim.fabric.Fabric.Habit;
import org.sluice.sim.fabric.Fabric.Host;
import org.sluice.sim.fabric.Fabric.Sender;
import org.sluice.sim.fabric.Fabric.Tenant;

/** What is drawn, and that it is drawn again. */
class FabricDrawTest {
  private static final int MANY = 300;

  private static List<Fabric> many() {
    return LongStream.rangeClosed(1, MANY).mapToObj(FabricDraw::of).toList();
  }

  private static Set<String> endpoints(Fabric fabric) {
    Set<String> names = new HashSet<>();
    fabric.hosts().forEach(host -> names.addAll(host.endpointNames()));
    return names;
  }

  @Property(tries = 200)
  void sameSeedGivesTheSameFabric(@ForAll long seed) {
    assertThat(FabricDraw.of(seed)).isEqualTo(FabricDraw.of(seed));
  }

  @Property(tries = 500)
  void sizesAndNumbersStayInTheirRanges(@ForAll long seed) {
    Fabric fabric = FabricDraw.of(seed);

    assertThat(fabric.tiers()).isBetween(2, 4);
    assertThat(fabric.endpoints()).isBetween(4, 60);
    assertThat(fabric.hosts()).allMatch(host -> fabric.switches().contains(host.at()));
    assertThat(fabric.hosts()).extracting(Host::delayMicros).allMatch(us -> us >= 5 && us < 1960);
    assertThat(fabric.cables()).allMatch(cable -> cable.megabits() >= 200);
    for (Sender sender : fabric.senders()) {
      assertThat(sender.destinations())
          .hasSizeBetween(1, 3)
          .doesNotContain(sender.endpoint())
          .isSubsetOf(endpoints(fabric));
      assertThat(sender.megabits()).isBetween(0.0, 1000.0);
      assertThat(sender.transport().equals("udp")).isEqualTo(sender.megabits() > 0);
      assertThat(sender.onMillis() > 0).isEqualTo(sender.habit() == Habit.ON_OFF);
    }
    for (Tenant tenant : fabric.tenants()) {
      assertThat(tenant.members()).isNotEmpty().isSubsetOf(endpoints(fabric));
      assertThat(
              tenant.ceilingMegabits() == 0
                  || tenant.ceilingMegabits() >= tenant.guaranteeMegabits())
          .isTrue();
    }
  }

  @Property(tries = 500)
  void somebodyIsGreedyAndNobodyIsInTwoTenants(@ForAll long seed) {
    Fabric fabric = FabricDraw.of(seed);
    List<String> members =
        fabric.tenants().stream().flatMap(tenant -> tenant.members().stream()).toList();

    assertThat(fabric.senders()).extracting(Sender::habit).contains(Habit.GREEDY);
    assertThat(members).doesNotHaveDuplicates();
  }

  @Test
  void allKindsOccur() {
    List<Fabric> many = many();
    Set<String> kinds = new HashSet<>();
    Set<String> habits = new HashSet<>();
    for (Fabric fabric : many) {
      kinds.add(fabric.shape() + " " + fabric.tiers());
      fabric.senders().forEach(each -> habits.add(each.habit() + " " + each.transport()));
    }
    List<Sender> senders = many.stream().flatMap(each -> each.senders().stream()).toList();
    List<Tenant> tenants = many.stream().flatMap(each -> each.tenants().stream()).toList();

    assertThat(kinds).hasSize(Fabric.Shape.values().length * 3);
    assertThat(habits)
        .containsExactlyInAnyOrder(
            "GREEDY udp",
            "GREEDY newreno",
            "GREEDY cubic",
            "GREEDY bbr",
            "LIGHT udp",
            "ON_OFF udp");
    assertThat(senders).extracting(each -> each.destinations().size()).contains(1, 2, 3);
    assertThat(senders).extracting(Sender::weight).contains(1, 2, 4);
    assertThat(senders).anyMatch(each -> each.guaranteeMegabits() > 0);
    assertThat(senders).anyMatch(each -> each.ceilingMegabits() > 0);
    assertThat(tenants).anyMatch(each -> each.guaranteeMegabits() > 0);
    assertThat(tenants).anyMatch(each -> each.ceilingMegabits() > 0);
    assertThat(tenants).extracting(Tenant::weight).contains(1, 2, 3, 4);
    assertThat(many).extracting(Fabric::endpoints).anyMatch(n -> n < 8).anyMatch(n -> n > 55);
    assertThat(many).anyMatch(Fabric::hasTurns).anyMatch(each -> !each.hasTurns());
    assertThat(many)
        .anyMatch(each -> each.hosts().stream().anyMatch(host -> host.endpoints().size() > 1));
  }

  @Test
  void wordsSayWhatItIs() {
    Sender sender =
        new Sender("s1", Habit.ON_OFF, "udp", List.of("r1", "r2"), 20, 1000, 3000, 0, 1, 0, 0);

    assertThat(sender.words()).isEqualTo("udp 20.0 Mbit/s, 1000 of 4000 ms to r1, r2");
    assertThat(FabricDraw.of(1).words()).matches(".+ of [234] (tiers|ports), \\d+ endpoints, .+");
  }
}
