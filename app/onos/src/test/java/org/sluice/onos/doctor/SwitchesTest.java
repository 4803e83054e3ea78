// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.onos.doctor.Condition.SwitchCondition;
import org.sluice.onos.registry.FixedCapacities;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** What is read of switches, in ONOS's real managers. */
class SwitchesTest {
  private static final String S1 = "of:0000000000000001";
  private static final String S2 = "of:0000000000000002";
  private static final PortId CORE = PortId.of(S1, 5);
  private static final long CAPACITY = 50_000_000;

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);
  private final Switches switches = new Switches();

  @BeforeEach
  void build() {
    world.switches.connect("s1", 1, 2, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
  }

  @AfterEach
  void end() {
    node.stop();
    world.close();
  }

  private void start() {
    node.start();
    switches.settings = node.manager;
    switches.devices = world.devices;
    switches.mastership = world.mastership;
    switches.links = world.links;
    switches.flows = world.flows;
    switches.meters = world.meters;
    switches.topology = node.topology;
    switches.forwarding = node.forwarding;
    switches.capacities = new FixedCapacities(CAPACITY, CORE);
  }

  private Set<Trouble.Kind> kinds(String datapath) {
    world.switches.poll();
    return switches.troubles(List.of()).stream()
        .filter(trouble -> trouble.datapath().equals(datapath))
        .map(Trouble::kind)
        .collect(Collectors.toSet());
  }

  @Test
  void aSwitchThatTakesEverythingHasNoTrouble() {
    start();
    until(() -> assertThat(kinds(S1)).isEmpty());
    until(() -> assertThat(kinds(S2)).isEmpty());
  }

  @Test
  void aSwitchWithoutMetersIsNamedWhereItHasLinks() {
    world.denyMeters("s1");
    start();
    until(() -> assertThat(kinds(S1)).containsExactly(Trouble.Kind.NO_METERS));
    until(() -> assertThat(kinds(S2)).isEmpty());
  }

  @Test
  void nothingIsExpectedOfSwitchesThatAreNotOursOrUnderSomebodyElse() {
    world.denyMeters("s1");
    start();
    until(() -> assertThat(kinds(S1)).containsExactly(Trouble.Kind.NO_METERS));
    world.loseMastership("s1");
    assertThat(kinds(S1)).isEmpty();
    assertThat(switches.conditions(List.of()))
        .contains(SwitchCondition.of(S1, Optional.of("elsewhere"), false))
        .contains(SwitchCondition.of(S2, Optional.of("local"), true));
    world.gainMastership("s1");
    node.set("forwarding", "other");
    until(() -> assertThat(kinds(S1)).isEmpty());
  }

  @Test
  void aSwitchThatIsReadSlowlyIsNamedUnlessAllAre() {
    start();
    List<SwitchCounters> slow =
        List.of(SwitchCounters.builder(S1).source(CounterSource.SLOW).build());
    Trouble named = Trouble.of(Trouble.Kind.SLOW_COUNTERS, S1);
    assertThat(switches.troubles(slow)).contains(named);
    node.set("fastCounters", "off");
    assertThat(switches.troubles(slow)).doesNotContain(named);
  }

  @Test
  void portsComeWithWhatIsKnownOfThem() {
    start();
    assertThat(switches.ports())
        .contains(
            Condition.PortCondition.of(CORE, CAPACITY, Optional.of(PortId.of(S2, 5))),
            Condition.PortCondition.of(PortId.of(S1, 1), 0, Optional.empty()));
  }
}
