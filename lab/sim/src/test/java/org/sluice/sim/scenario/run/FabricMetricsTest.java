// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;
import org.sluice.sim.scenario.measure.EndpointShare;

/** All endpoints of a network against what they are due, without a law, where both are known. */
class FabricMetricsTest {
  private static final String MEASURE =
      "measure={steady: {kind: fabric, what: deviation, from: 100 ms},"
          + " utilisation: {kind: fabric, what: utilisation, from: 100 ms},"
          + " queue: {kind: fabric, what: queue, from: 100 ms}}";

  private static Run run(String flows, String... more) {
    List<String> settings =
        new ArrayList<>(List.of("seeds=1", "figures=[]", "plots=[]", "flows=" + flows, MEASURE));
    settings.addAll(List.of(more));
    return new Runner(Fixtures.tiny(settings.toArray(String[]::new)), Progress.SILENT)
        .run(1)
        .get(0);
  }

  private static EndpointShare share(Run run, String endpoint) {
    return run.endpoints().stream()
        .filter(each -> each.endpoint().equals(endpoint))
        .findFirst()
        .orElseThrow();
  }

  /** One that sends 20 may have no more than 16; the other has what it demands. */
  @Test
  void distanceIsOfTheFarthestEndpoint() {
    Run run =
        run(
            "{a: {transport: udp, rate: 20 Mbit/s, from: s1, to: r1},"
                + " b: {transport: udp, rate: 60 Mbit/s, from: s2, to: r2}}",
            "policy=[{endpoints: s1, ceiling: 16 Mbit/s}]");

    assertThat(share(run, "s1").dueMegabits()).isCloseTo(16, within(1e-6));
    assertThat(share(run, "s1").gotMegabits()).isCloseTo(20, within(0.2));
    assertThat(share(run, "s2").deviation()).isCloseTo(0, within(0.01));
    assertThat(run.metrics().get("steady")).isCloseTo(0.25, within(0.02));
  }

  @Test
  void queueAndUtilisationAreOfFullPorts() {
    Run run =
        run(
            "{a: {transport: udp, rate: 90 Mbit/s, from: s1, to: r1},"
                + " b: {transport: udp, rate: 60 Mbit/s, from: s2, to: r2}}");

    assertThat(share(run, "s1").dueMegabits()).isCloseTo(50, within(1e-6));
    assertThat(run.metrics().get("utilisation")).isCloseTo(1, within(0.02));
    assertThat(run.metrics().get("queue")).isGreaterThan(80);
  }

  @Test
  void portThatIsNotFullIsNotJudged() {
    Run run = run("{a: {transport: udp, rate: 90 Mbit/s, from: s1, to: r1}}");

    assertThat(run.metrics().get("steady")).isCloseTo(0, within(0.01));
    assertThat(run.metrics().get("utilisation")).isNaN();
    assertThat(run.metrics().get("queue")).isNaN();
  }

  /** It is due its demand in its turns, 40 half of the time, and others what that leaves. */
  @Test
  void turnsAreJudgedByWhatWouldBeSent() {
    Run run =
        run(
            "{a: {transport: udp, rate: 100 Mbit/s, from: s1, to: r1},"
                + " b: {transport: udp, rate: 100 Mbit/s, from: s1, to: r2},"
                + " c: {transport: udp, rate: 40 Mbit/s, from: s2, to: r2,"
                + " on: 25 ms, off: 25 ms, turns: fixed}}");

    assertThat(share(run, "s2").dueMegabits()).isCloseTo(20, within(1e-6));
    assertThat(share(run, "s1").dueMegabits()).isCloseTo(80, within(1e-6));
  }
}
