// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;

/** Links that fail, return, and get another capacity while a scenario runs. */
class ChangesTest {
  private static Map<String, Double> metrics(String... settings) {
    List<String> all = new ArrayList<>(List.of("seeds=1", "figures=[]", "plots=[]"));
    all.addAll(List.of(settings));
    return new Runner(Fixtures.tiny(all.toArray(String[]::new)), Progress.SILENT)
        .run(1)
        .get(0)
        .metrics();
  }

  private static String measured(String selector) {
    return "measure={before: {kind: throughput, of: steady, to: 100 ms},"
        + " between: {kind: throughput, of: steady, from: 100 ms, to: 150 ms},"
        + " after: {kind: throughput, of: steady, from: 150 ms, to: 200 ms},"
        + (" steady: {kind: utilisation, port: " + selector + ", from: 100 ms, to: 150 ms},")
        + (" utilisation: {kind: utilisation, port: " + selector + ", from: 150 ms}}");
  }

  @Test
  void linkFailsAndReturns() {
    Map<String, Double> metrics =
        metrics(
            "flows={steady: {transport: udp, rate: 40 Mbit/s, from: s1, to: r1}}",
            "changes=[{link: left>right, at: 100 ms, up: false},"
                + " {link: right>left, at: 150 ms, up: true}]",
            measured("left>right"));

    assertThat(metrics.get("before")).isCloseTo(40, within(0.5));
    // What has passed the link is not lost.
    assertThat(metrics.get("between")).isLessThan(0.5);
    assertThat(metrics.get("steady")).isNaN();
    assertThat(metrics.get("after")).isCloseTo(40, within(0.5));
    assertThat(metrics.get("utilisation")).isCloseTo(0.4, within(0.01));
  }

  @Test
  void capacityChanges() {
    Map<String, Double> metrics =
        metrics(
            "flows={steady: {transport: udp, rate: 90 Mbit/s, from: s1, to: r1}}",
            "changes=[{link: left>right, at: 100 ms, rate: 20 Mbit/s},"
                + " {link: left>right, at: 150 ms, rate: 50 Mbit/s}]",
            measured("left>right"));

    assertThat(metrics.get("before")).isCloseTo(90, within(1.0));
    assertThat(metrics.get("between")).isCloseTo(20, within(1.0));
    assertThat(metrics.get("after")).isCloseTo(50, within(1.0));
    assertThat(metrics.get("steady")).isCloseTo(1, within(0.02));
    assertThat(metrics.get("utilisation")).isCloseTo(1, within(0.02));
  }

  /** What the routes lead into is lost until they follow, 20 ms later. */
  @Test
  void routesFollowWhenTheFailureIsNoticed() {
    Map<String, Double> metrics =
        metrics(
            "topology={kind: custom, switches: [a, b, c], hosts: ["
                + "{names: s1, at: a, link: {rate: 100 Mbit/s, delay: 10 us}},"
                + " {names: r1, at: b, link: {rate: 100 Mbit/s, delay: 10 us}}], links: ["
                + "{from: a, to: b, link: {rate: 100 Mbit/s, delay: 10 us}},"
                + " {from: a, to: c, link: {rate: 100 Mbit/s, delay: 10 us}},"
                + " {from: c, to: b, link: {rate: 100 Mbit/s, delay: 10 us}}]}",
            "flows={steady: {transport: udp, rate: 40 Mbit/s, from: s1, to: r1}}",
            "changes=[{link: a>b, at: 100 ms, up: false, noticedAfter: 20 ms}]",
            measured("c>b"));

    assertThat(metrics.get("between")).isCloseTo(40 * 0.6, within(0.5));
    assertThat(metrics.get("after")).isCloseTo(40, within(0.5));
    assertThat(metrics.get("utilisation")).isCloseTo(0.4, within(0.01));
  }

  /** Of a link that has half its capacity the controller knows it, and shares half. */
  @Test
  void controllerKnowsTheNewCapacity() {
    Map<String, Double> metrics =
        metrics(
            "law.name=sluice",
            "duration=600 ms",
            "flows={steady: {transport: udp, rate: 90 Mbit/s, from: s1, to: r1},"
                + " elastic: {transport: udp, rate: 90 Mbit/s, from: s2, to: r2}}",
            "policy=[{endpoints: s2, weight: 3}]",
            "changes=[{link: left>right, at: 200 ms, rate: 60 Mbit/s}]",
            "measure={steady: {kind: throughput, of: steady, from: 400 ms},"
                + " utilisation: {kind: utilisation, port: left>right, from: 400 ms}}");

    assertThat(metrics.get("steady")).isCloseTo(15, within(1.0));
    assertThat(metrics.get("utilisation")).isGreaterThan(0.95);
  }

  @Test
  void turnsOfFixedLengthBeginAtStart() {
    Map<String, Double> metrics =
        metrics(
            "flows={steady: {transport: udp, rate: 40 Mbit/s, from: s1, to: r1, start: 10 ms,"
                + " on: 40 ms, off: 60 ms, turns: fixed}}",
            "measure={steady: {kind: throughput, of: steady, from: 10 ms, to: 50 ms},"
                + " silence: {kind: throughput, of: steady, from: 60 ms, to: 110 ms},"
                + " utilisation: {kind: throughput, of: steady, from: 100 ms}}");

    assertThat(metrics.get("steady")).isCloseTo(40, within(0.5));
    assertThat(metrics.get("silence")).isZero();
    assertThat(metrics.get("utilisation")).isCloseTo(16, within(0.5));
  }
}
