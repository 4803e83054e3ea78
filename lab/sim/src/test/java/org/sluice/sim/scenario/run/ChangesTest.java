// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;

/** What changes while a scenario runs: links, hosts, agents, endpoints, the controller's reach. */
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

  private static final String FLOODS =
      "flows={steady: {transport: udp, rate: 90 Mbit/s, from: s1, to: r1},"
          + " elastic: {transport: udp, rate: 90 Mbit/s, from: s2, to: r2}}";

  private static String measuredInSecond() {
    return "measure={before: {kind: throughput, of: steady, from: 300 ms, to: 500 ms},"
        + " between: {kind: throughput, of: steady, from: 800 ms, to: 1 s},"
        + " steady: {kind: throughput, of: steady, from: 2 s, to: 2500 ms},"
        + " utilisation: {kind: utilisation, port: s2>left, from: 2 s, to: 2500 ms}}";
  }

  /** Its limits hold while it is away; what changes meanwhile it takes over when it returns. */
  @Test
  void agentDiesAndReturns() {
    Map<String, Double> metrics =
        metrics(
            "law.name=sluice",
            "duration=2500 ms",
            FLOODS,
            "policy=[{endpoints: s2, weight: 3, at: 600 ms}]",
            "changes=[{agent: s1, at: 500 ms, up: false}, {agent: s1, at: 1 s, up: true}]",
            measuredInSecond());

    assertThat(metrics.get("before")).isCloseTo(50, within(1.5));
    // A limit that marks have just made duck under the share stays there.
    assertThat(metrics.get("between")).isBetween(25.0, 52.0);
    assertThat(metrics.get("steady")).as("its new share").isLessThan(32);
  }

  /** A host that is down from the start and comes up joins. */
  @Test
  void hostJoins() {
    Map<String, Double> metrics =
        metrics(
            "law.name=sluice",
            "duration=2500 ms",
            FLOODS,
            "changes=[{host: s2, at: 0 s, up: false}, {host: s2, at: 1 s, up: true}]",
            measuredInSecond());

    assertThat(metrics.get("before")).isCloseTo(90, within(0.5));
    assertThat(metrics.get("between")).isCloseTo(90, within(0.5));
    assertThat(metrics.get("steady")).isCloseTo(50, within(1.5));
  }

  /** Its share, its tenant and its connection go along; it leaves its former host's link. */
  @Test
  void endpointMoves() {
    Map<String, Double> metrics =
        metrics(
            "law.name=sluice",
            "duration=2500 ms",
            FLOODS,
            "policy=[{endpoints: s2, weight: 3}]",
            "changes=[{endpoint: s2, at: 1 s, to: r1}]",
            "topology.middle={rate: 60 Mbit/s, delay: 10 us}",
            measuredInSecond().replace("s2>left", "r1>right"));

    assertThat(metrics.get("before")).isCloseTo(15, within(1.0));
    assertThat(metrics.get("between")).isCloseTo(15, within(1.0));
    // It is beyond the full link now, which is the other's alone.
    assertThat(metrics.get("steady")).isCloseTo(60, within(1.0));
    assertThat(metrics.get("utilisation")).isCloseTo(0.9, within(0.02));
  }

  /** Nothing that it decides gets through, until it can be reached again. */
  @Test
  void controllerIsCutOff() {
    Map<String, Double> metrics =
        metrics(
            "law.name=sluice",
            "duration=2500 ms",
            FLOODS,
            "policy=[{endpoints: s2, weight: 3, at: 600 ms}]",
            "control.cutOff=[{from: 500 ms, to: 1 s}]",
            measuredInSecond());

    assertThat(metrics.get("before")).isCloseTo(50, within(1.5));
    assertThat(metrics.get("between")).isCloseTo(50, within(1.5));
    assertThat(metrics.get("steady")).as("its new share").isLessThan(32);
  }

  /** Its sessions time out, and begin anew. */
  @Test
  void controllerIsCutOffForLongerThanALease() {
    Map<String, Double> metrics =
        metrics(
            "law.name=sluice",
            "settings={leaseMillis: 500}",
            "duration=2500 ms",
            FLOODS,
            "policy=[{endpoints: s2, weight: 3, at: 600 ms}]",
            "control.cutOff=[{from: 400 ms, to: 1100 ms}]",
            measuredInSecond());

    assertThat(metrics.get("between")).isCloseTo(50, within(1.5));
    assertThat(metrics.get("steady")).as("its new share").isLessThan(32);
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
