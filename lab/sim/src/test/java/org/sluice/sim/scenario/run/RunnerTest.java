// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;

/** What is measured, where the answer is known beforehand. */
class RunnerTest {
  private static Map<String, Double> metrics(String... settings) {
    List<Run> runs = new Runner(Fixtures.tiny(settings), Progress.SILENT).run(1);
    return runs.get(0).metrics();
  }

  @Test
  void constantRateArrivesAsSent() {
    Map<String, Double> metrics = metrics("seeds=1", "flows.elastic.bytes=1KB");

    assertThat(metrics.get("steady")).isCloseTo(40, within(0.5));
    assertThat(metrics.get("utilisation")).isCloseTo(0.4, within(0.005));
  }

  @Test
  void sharesAndSettlingFollowTheWeights() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "flows={a: {transport: udp, rate: 30 Mbit/s, from: s1, to: r1},"
                + " b: {transport: udp, rate: 60 Mbit/s, from: s2, to: r2}}",
            "policy=[{endpoints: s2, weight: 3}]",
            "measure={steady: {kind: share, of: a, port: left>right, from: 100 ms},"
                + " utilisation: {kind: share, of: b, port: left>right, from: 100 ms},"
                + " least: {kind: share, of: [a, b], port: left>right, from: 100 ms, statistic: min},"
                + " off: {kind: deviation, of: [a, b], port: left>right, from: 100 ms},"
                + " lost: {kind: loss, of: b, port: left>right, from: 100 ms},"
                + " settled: {kind: settling, of: a, port: left>right, from: 0 s, within: 25 %},"
                + " never: {kind: settling, of: a, port: left>right, from: 0 s, within: 10 %},"
                + " jain: {kind: jain, of: [a, b], from: 100 ms},"
                + " sent: {kind: counter, what: sent, of: a}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("steady")).isCloseTo(1.2, within(0.01));
    assertThat(metrics.get("utilisation")).isCloseTo(0.8, within(0.01));
    assertThat(metrics.get("least")).isEqualTo(metrics.get("utilisation"));
    assertThat(metrics.get("off")).isCloseTo(0.2, within(0.01));
    assertThat(metrics.get("lost")).isCloseTo(0.2, within(0.01));
    assertThat(metrics.get("settled")).isZero();
    assertThat(metrics.get("never")).isNaN();
    assertThat(metrics.get("jain")).isCloseTo(0.9, within(0.01));
    assertThat(metrics.get("sent")).isCloseTo(500, within(1.0));
  }

  @Test
  void repeatedTransfersAreTimed() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "flows={steady: {transport: newreno, from: s1, to: r1, bytes: 1460 B, repeat: 5, count: 2}}",
            "measure={steady: {kind: counter, what: completed, of: steady},"
                + " utilisation: {kind: completion, of: steady, statistic: max},"
                + " none: {kind: completion, of: steady, below: 1 KB}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("steady")).isEqualTo(10);
    // Two round trips of at least 60 us, and some packets' time at 100 Mbit/s.
    assertThat(metrics.get("utilisation")).isBetween(0.1, 2.0);
    assertThat(metrics.get("none")).isNaN();
  }

  @Test
  void roundTripsAndLossAreMeasuredAtTheSender() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "queues.switch={kind: divided, packets: 4, markAt: 2, queues: 2, marking: slope}",
            "tcp.rtoMin=10ms",
            "flows={steady: {transport: dadctcp, from: s1, to: r1},"
                + " other: {transport: fdctcp, from: s2, to: r2, stop: 1 ms}}",
            "law={name: dadctcp, scope: switch, leastPackets: 1}",
            "measure={steady: {kind: roundTrip, of: steady},"
                + " utilisation: {kind: counter, what: resent, of: steady},"
                + " resent: {kind: counter, what: retransmissions, of: steady},"
                + " sent: {kind: counter, what: sent, of: steady}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("steady")).isBetween(0.05, 5.0);
    assertThat(metrics.get("resent")).isPositive();
    assertThat(metrics.get("utilisation")).isEqualTo(metrics.get("resent") / metrics.get("sent"));
  }

  /** At 0, 50, 100 and 150 ms, whatever the transfers take; the stop lies before a fifth. */
  @Test
  void transfersMayBePeriodic() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "flows={steady: {transport: newreno, from: s1, to: r1, bytes: 1460 B, repeat: 9,"
                + " every: 50 ms}, late: {transport: newreno, from: s2, to: r2, bytes: 200 KB,"
                + " repeat: 99, every: 10 ms}}",
            "measure={steady: {kind: counter, what: completed, of: steady},"
                + " early: {kind: throughput, of: steady, from: 0 ms, to: 50 ms},"
                + " after: {kind: throughput, of: steady, from: 160 ms, to: 200 ms},"
                + " late: {kind: counter, what: completed, of: late}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("steady")).isEqualTo(4);
    assertThat(metrics.get("early")).isCloseTo(1500 * 8 / 50e3, within(0.02));
    assertThat(metrics.get("after")).isZero();
    assertThat(metrics.get("late")).as("17 ms each, one after the other").isBetween(9.0, 12.0);
  }

  @Test
  void randomPairsAreDrawnForEachFlow() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "topology={kind: rack, hosts: 8, access: {rate: 100 Mbit/s, delay: 10 us}}",
            "flows={steady: {transport: udp, rate: 1 Mbit/s, from: h1, to: h*, count: 50,"
                + " pairing: random}}",
            "measure={steady: {kind: throughput, of: steady, from: 100 ms},"
                + " own: {kind: utilisation, port: rack>h1, from: 100 ms},"
                + " one: {kind: utilisation, port: rack>h2, from: 100 ms},"
                + " other: {kind: utilisation, port: rack>h3, from: 100 ms}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("steady")).isCloseTo(50, within(1.0));
    assertThat(metrics.get("own")).isZero();
    assertThat(metrics.get("one")).isBetween(0.01, 0.25);
    assertThat(metrics.get("other")).isBetween(0.01, 0.25);
  }

  /**
   * Ten packets take 1.2 ms, and wait for others where they leave and arrive: M/D/1, 0.26 ms each.
   */
  @Test
  void transfersCanBeComparedWithAnIdealSchedule() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "topology={kind: rack, hosts: 8, access: {rate: 100 Mbit/s, delay: 10 us}}",
            "flows={steady: {transport: newreno, from: 'h*', to: 'h*', load: 30 %,"
                + " sizes: [[14.6 KB, 1]]}}",
            "measure={steady: {kind: completion, of: steady},"
                + " ideal: {kind: idealCompletion, of: steady},"
                + " late: {kind: idealCompletion, of: steady, latency: 1 ms},"
                + " utilisation: {kind: idealCompletion, of: steady, below: 14 KB}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("ideal")).isBetween(1.5, 2.0).isLessThan(metrics.get("steady"));
    assertThat(metrics.get("late")).isCloseTo(metrics.get("ideal") + 1, within(1e-9));
    assertThat(metrics.get("utilisation")).isNaN();
  }

  @Test
  void microFlowIsALawOfScenarios() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "law={name: microflow, levels: {thresholds: [16 KB]}}",
            "settings={caps: microflow}",
            "cases=[{law: {none: {}}}]",
            "measure={steady: {kind: throughput, of: elastic, from: 100 ms},"
                + " utilisation: {kind: utilisation, port: left>right},"
                + " caps: {kind: counter, what: caps}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics.get("steady")).isBetween(20.0, 60.0);
    assertThat(metrics.get("caps")).isNotNegative();
  }

  /** At every phase of a connection: before, in and after its handshake, sending, idle. */
  @Test
  void stoppedFlowStaysStopped() {
    for (int micros = 5; micros <= 2000; micros += 45) {
      Map<String, Double> metrics =
          metrics(
              "seeds=1",
              "flows={steady: {transport: newreno, from: s1, to: r1, stop: "
                  + micros
                  + " us},"
                  + " elastic: {transport: newreno, from: s2, to: r2, bytes: 1 KB, repeat: 1000,"
                  + " stop: "
                  + micros
                  + " us}}",
              "measure={steady: {kind: throughput, of: [steady, elastic], from: 100 ms},"
                  + " utilisation: {kind: counter, what: completed, of: steady}}",
              "figures=[]",
              "plots=[]");

      assertThat(metrics.get("steady")).as("stopped after %s us", micros).isZero();
      assertThat(metrics.get("utilisation")).isZero();
    }
  }

  @Test
  void transfersArriveByLoad() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "duration=2s",
            "flows={steady: {transport: newreno, from: s*, to: r*, load: 20 %, sizes: [[2 KB, 1]]}}",
            "measure={steady: {kind: counter, what: completed, of: steady},"
                + " utilisation: {kind: utilisation, port: left>right}}",
            "figures=[]",
            "plots=[]");

    // 40 Mbit/s of 16,000 bits each: 2500 a second.
    assertThat(metrics.get("steady")).isCloseTo(5000, within(300.0));
    assertThat(metrics.get("utilisation")).isBetween(0.38, 0.50);
  }

  /** One key is the only difference between two systems. */
  @Test
  void theCongestionControlOfAllFlowsIsOneKey() {
    String[] settings = {
      "seeds=1",
      "queues.host.packets=1000",
      "flows={steady: {transport: tcp, from: s*, to: r*, startSpread: 1 ms}}",
      "measure={steady: {kind: counter, what: marks, port: left>right},"
          + " utilisation: {kind: utilisation, port: left>right}}",
      "figures=[]",
      "plots=[]",
      ""
    };

    settings[6] = "tcp.congestionControl=dctcp";
    assertThat(metrics(settings).get("steady")).isPositive();
    settings[6] = "tcp.congestionControl=cubic";
    assertThat(metrics(settings).get("steady")).as("not ECT").isZero();
  }

  /** Two switches, each polled, replying and sent thresholds every 5 ms. */
  @Test
  void messagesOfTheControlPlaneAreCounted() {
    String[] settings = {
      "seeds=1",
      "queues.switch={kind: divided, packets: 100, markAt: 20}",
      "cases=[{law: {none: {}}}]",
      "measure={steady: {kind: messages, between: controller, from: 100 ms},"
          + " utilisation: {kind: messages, between: hosts, from: 100 ms}}",
      "figures=[]",
      "plots=[]",
      ""
    };

    settings[6] = "law={name: dadctcp, scope: switch}";
    assertThat(metrics(settings).get("steady")).isCloseTo(1200, within(60.0));
    settings[6] = "law={name: none}";
    assertThat(metrics(settings)).containsEntry("steady", 0.0).containsEntry("utilisation", 0.0);
  }

  @Test
  void metDeadlinesExcludeMissedOnes() {
    Map<String, Double> metrics =
        metrics(
            "seeds=1",
            "flows={steady: {transport: tcp, from: s1, to: r1, bytes: 10 KB, deadline: 50 ms},"
                + " late: {transport: tcp, from: s2, to: r2, bytes: 1 MB, deadline: 50 ms}}",
            "measure={steady: {kind: counter, what: met, of: [steady, late]},"
                + " utilisation: {kind: counter, what: missed, of: [steady, late]},"
                + " early: {kind: counter, what: met, of: steady}}",
            "figures=[]",
            "plots=[]");

    assertThat(metrics).containsEntry("steady", 0.5).containsEntry("utilisation", 0.5);
    assertThat(metrics).containsEntry("early", 1.0);
  }

  @Test
  void everyLawRuns() {
    for (String law : List.of("none", "sluice", "sdn-gcc", "hygenicc")) {
      List<Run> runs =
          new Runner(
                  Fixtures.tiny(
                      "seeds=1",
                      "law.name=" + law,
                      "policy=[{endpoints: s2, weight: 2, guarantee: 10 Mbit/s, ceiling: 90 Mbit/s}]",
                      "control={period: 10 ms, delay: 1 ms, jitter: 100 us, loss: 1 %,"
                          + " absent: [{from: 100 ms, to: 150 ms}]}"),
                  Progress.SILENT)
              .run(2);

      assertThat(runs).hasSize(2);
      assertThat(runs.get(0).metrics().get("elastic")).isPositive();
      assertThat(runs.get(0).packetHops()).isPositive();
      assertThat(runs.get(0).peakMegabytes()).isPositive();
    }
  }

  @Test
  void everyTopologyRuns() {
    String link = "{rate: 100 Mbit/s, delay: 10 us}";
    String flows =
        "flows={steady: {transport: udp, rate: 40 Mbit/s, from: h1, to: h4},"
            + " elastic: {transport: cubic, from: \"h*\", to: \"h*\", pairing: eachToEach}}";
    List<String> topologies =
        List.of(
            "{kind: rack, hosts: 4, access: " + link + "}",
            "{kind: leafSpine, leaves: 2, spines: 2, hostsPerLeaf: 2, access: "
                + link
                + ", fabric: "
                + link
                + "}",
            "{kind: fatTree, k: 4, access: " + link + ", pod: " + link + ", core: " + link + "}",
            "{kind: custom, switches: [a, b], hosts: [{names: \"h[1..4]\", at: a, link: "
                + link
                + "}], links: [{from: a, to: b, link: "
                + link
                + "}]}");
    for (String topology : topologies) {
      Map<String, Double> metrics =
          metrics(
              "seeds=1",
              "topology=" + topology,
              flows,
              "measure={steady: {kind: throughput, of: steady},"
                  + " utilisation: {kind: throughput, of: elastic}}",
              "figures=[]",
              "plots=[]");

      assertThat(metrics.get("steady")).as(topology).isPositive();
      assertThat(metrics.get("utilisation")).as(topology).isPositive();
    }
  }
}
