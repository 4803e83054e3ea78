// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.doctor.Condition.PortCondition;
import org.sluice.core.doctor.Condition.SwitchCondition;
import org.sluice.core.registry.FixedCapacities;
import org.sluice.core.spi.Symptom;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

class SwitchConditionsTest {
  private static final String S1 = datapath("s1");
  private static final String S2 = datapath("s2");
  private static final long CAPACITY = 50_000_000;
  private static final List<SwitchCounters> SLOW =
      List.of(SwitchCounters.builder(S1).source(CounterSource.SLOW).build());
  private static final Symptom SLOW_COUNTERS = Symptom.of(Symptom.Kind.SLOW_COUNTERS, S1);

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final SwitchConditions switches =
      new SwitchConditions(node, new FixedCapacities(Map.of(port("s1/5"), CAPACITY)));

  @BeforeEach
  void master() {
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
  }

  @Test
  void healthySwitchHasNoSymptom() {
    assertThat(switches.symptoms(List.of(), true)).isEmpty();
    List<SwitchCounters> fast =
        List.of(SwitchCounters.builder(S1).source(CounterSource.FAST).build());
    assertThat(switches.symptoms(fast, true)).isEmpty();
  }

  @Test
  void platformSymptomsArePassedOn() {
    Symptom noMeters = Symptom.of(Symptom.Kind.NO_METERS, S1);
    node.diagnosis.symptoms.add(noMeters);
    assertThat(switches.symptoms(SLOW, true)).containsExactlyInAnyOrder(noMeters, SLOW_COUNTERS);
  }

  @Test
  void switchesOfOtherMastersAreNotExamined() {
    assertThat(switches.symptoms(SLOW, true)).containsExactly(SLOW_COUNTERS);
    network.setMaster("s1", "elsewhere");
    assertThat(switches.symptoms(SLOW, true)).isEmpty();
    assertThat(switches.conditions(List.of()))
        .containsExactly(
            SwitchCondition.of(S1, Optional.of("elsewhere"), false),
            SwitchCondition.of(S2, Optional.of("n1"), true));
    network.setMaster("s1", null);
    assertThat(switches.conditions(List.of()))
        .contains(SwitchCondition.of(S1, Optional.empty(), false));
  }

  @Test
  void disconnectedSwitchesAreNotExamined() {
    network.disconnect("s1");
    assertThat(switches.symptoms(SLOW, true)).isEmpty();
    assertThat(switches.conditions(SLOW)).hasSize(1);
  }

  @Test
  void conditionHasTheSourceOfCounters() {
    assertThat(switches.conditions(SLOW))
        .contains(
            SwitchCondition.of(S1, Optional.of("n1"), true).withCounters(Optional.of(SLOW.get(0))));
  }

  @Test
  void slowlyReadSwitchIsReportedUnlessAllAreSlow() {
    assertThat(switches.symptoms(SLOW, true)).contains(SLOW_COUNTERS);
    assertThat(switches.symptoms(SLOW, false)).doesNotContain(SLOW_COUNTERS);
  }

  @Test
  void capacityOfNoPortIsReportedWhoeverIsMaster() {
    network.setMaster("s1", "elsewhere");
    network.setCapacity("s1/5", CAPACITY);
    network.setCapacity("s1/7", CAPACITY);
    network.setCapacity("s3/1", CAPACITY);
    assertThat(switches.symptoms(List.of(), true))
        .containsExactlyInAnyOrder(
            Symptom.of(Symptom.Kind.NO_SUCH_PORT, S1, S1 + "/7"),
            Symptom.of(Symptom.Kind.NO_SUCH_PORT, datapath("s3"), datapath("s3") + "/1"));
    network.disconnect("s1");
    assertThat(switches.symptoms(List.of(), true)).hasSize(1);
  }

  @Test
  void portsHaveTheirCapacitiesAndSources() {
    network.setMaster("s2", "elsewhere");
    assertThat(switches.ports())
        .containsExactly(
            PortCondition.of(port("s1/1"), 0, Optional.empty()),
            PortCondition.of(port("s1/2"), 0, Optional.empty()),
            PortCondition.of(port("s1/5"), CAPACITY, Optional.of(port("s2/5"))));
  }
}
