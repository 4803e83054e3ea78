// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.sim.queue.DividedQueues;
import org.sluice.sim.queue.DividedQueues.Marking;
import org.sluice.sim.shim.vector.VectorFile;
import org.sluice.sim.shim.vector.VectorValues;

class DaDctcpTest {
  private static final String FILE = "da-dctcp/window.json";
  private static final long RATE = 1_000_000_000L;

  static Stream<Map<String, Object>> connections() {
    return ((List<?>) VectorFile.read(FILE).get("connections")).stream().map(VectorValues::map);
  }

  /** The numbers that every implementation of the sender shares. */
  @ParameterizedTest
  @MethodSource("connections")
  void sharedVectorsHold(Map<String, Object> connection) {
    double tolerance = VectorValues.number(VectorFile.read(FILE), "toleranceRelative");
    Map<String, Object> opening = VectorValues.map(connection.get("opening"));
    DaDctcp sender =
        new DaDctcp(
            TcpParameters.builder()
                .congestionControl(CongestionControls.DA_DCTCP)
                .queueBoundNanos(VectorValues.whole(connection, "queueBoundNanos"))
                .build());
    sender.open(
        (int) VectorValues.whole(opening, "segmentBytes"),
        VectorValues.number(opening, "windowBytes"),
        VectorValues.whole(opening, "roundTripNanos"),
        0);
    for (Object each : (List<?>) connection.get("events")) {
      Map<String, Object> event = VectorValues.map(each);
      if (event.get("type").equals("acknowledgement")) {
        sender.acknowledged(acknowledgement(event));
      } else {
        sender.echoed(sender.windowBytes(), 0);
      }
      Map<String, Object> expected = VectorValues.map(event.get("expected"));
      assertThat(sender.alpha()).isCloseTo(of(expected, "alpha"), near(tolerance));
      assertThat(sender.trend().gradient()).isCloseTo(of(expected, "gradient"), near(tolerance));
      assertThat(sender.trend().utilisation())
          .isCloseTo(of(expected, "utilisation"), near(tolerance));
      assertThat(sender.trend().factor()).isCloseTo(of(expected, "factor"), near(tolerance));
      double window = of(expected, "windowBytes");
      assertThat(sender.windowBytes()).isCloseTo(window, within(tolerance * window));
    }
  }

  private static double of(Map<String, Object> expected, String key) {
    return VectorValues.number(expected, key);
  }

  private static Offset<Double> near(double tolerance) {
    return within(tolerance);
  }

  private static Acknowledgement acknowledgement(Map<String, Object> event) {
    Acknowledgement result = new Acknowledgement();
    result.rttNanos = VectorValues.whole(event, "roundTripNanos");
    result.acknowledgedBytes = VectorValues.whole(event, "bytes");
    result.echo = VectorValues.flag(event, "echo");
    result.acknowledgedTo = VectorValues.whole(event, "acknowledgedTo");
    result.nextSequence = VectorValues.whole(event, "nextSequence");
    return result;
  }

  /** Two flows, K1 = 20 packets at 1 Gbit/s and 200 us: the link is full, nothing is lost. */
  @Test
  void queueStaysNearTheThresholds() {
    TestPath path = new TestPath(2, RATE, MILLISECOND / 5, queue());
    for (int i = 0; i < 2; i++) {
      TcpFlow flow =
          path.tcp(
              i,
              TcpParameters.builder().congestionControl(CongestionControls.DA_DCTCP).build(),
              TcpFlow.ENDLESS);
      flow.start(i * MILLISECOND);
    }
    path.runUntil(SECOND / 4);
    long sent = path.bottleneck.counters().sentBytes();
    int most = 0;
    for (int i = 0; i < 20_000; i++) {
      path.runUntil(path.scheduler.now() + 13_000);
      most = Math.max(most, path.bottleneck.queue().packets());
    }
    double used = (path.bottleneck.counters().sentBytes() - sent) * 8.0 / (20_000 * 13e-6) / RATE;
    assertThat(used).isGreaterThan(0.99);
    assertThat(most).isBetween(20, 45);
    assertThat(path.bottleneck.counters().droppedPackets()).isZero();
  }

  private static DividedQueues queue() {
    return new DividedQueues(Marking.SLOPE, 1, 200, 20);
  }
}
