// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.application.RackFixture.MILLISECOND;
import static org.sluice.sim.application.RackFixture.SECOND;

import org.junit.jupiter.api.Test;
import org.sluice.sim.transport.TcpParameters;

/** How long answers take over an empty path, and over a loaded one. */
class RequestResponseTest {
  private static final long GIGABIT = 1_000_000_000L;

  private final RackFixture rack = new RackFixture(2, GIGABIT, MILLISECOND, 1);

  private RequestResponse client(RequestResponse.Plan plan) {
    return new RequestResponse(
        rack.network,
        "rpc",
        rack.endpoints.get(0),
        rack.endpoints.get(1),
        TcpParameters.DEFAULTS,
        plan);
  }

  @Test
  void responseTakesARoundTripAndItsTransmissionTime() {
    RequestResponse client = client(new RequestResponse.Plan(100, 1000, 10 * MILLISECOND, false));
    client.start(0);
    client.stop(SECOND + MILLISECOND);
    rack.scheduler.runUntil(2 * SECOND);
    // A request every 10 ms, in each direction over two links with 40 bytes of header.
    long expected = MILLISECOND + 2 * (140 + 1040) * 8;
    assertThat(client.latencies().quantileNanos(0)).isEqualTo(expected);
    // Before every second answer the request's acknowledgement leaves: 40 bytes.
    assertThat(client.latencies().quantileNanos(1)).isEqualTo(expected + 40 * 8);
    // Each is due 10 ms after the one before was sent.
    assertThat(client.latencies().count()).isEqualTo(100);
    assertThat(rack.network.pool().inUse()).isZero();
  }

  @Test
  void largeResponseTakesSeveralWindows() {
    RequestResponse client = client(new RequestResponse.Plan(100, 14_600 * 3, SECOND, false));
    client.start(0);
    rack.scheduler.runUntil(SECOND + SECOND / 2);
    // Thirty segments: ten, then twenty, then it is done: two round trips.
    assertThat(client.latencies().meanNanos())
        .isCloseTo(2.0 * MILLISECOND, within(0.4 * MILLISECOND));
  }

  @Test
  void nextRequestWaitsForTheResponse() {
    RequestResponse client = client(new RequestResponse.Plan(100, 1000, 0, false));
    client.start(0);
    rack.scheduler.runUntil(SECOND);
    long each = MILLISECOND + 2 * (140 + 1040) * 8;
    // The first waits for the handshake; the idle receivers delay nothing that the client needs.
    assertThat(client.latencies().count())
        .isBetween((int) (SECOND / each) - 3, (int) (SECOND / each));
  }

  @Test
  void randomIntervalsHaveTheirMean() {
    RequestResponse client = client(new RequestResponse.Plan(100, 100, 20 * MILLISECOND, true));
    client.start(0);
    rack.scheduler.runUntil(200 * SECOND);
    assertThat((double) client.latencies().count()).isCloseTo(10_000, within(500.0));
  }

  @Test
  void quantilesAreByNearestRank() {
    LatencyRecord record = new LatencyRecord();
    assertThat(record.quantileNanos(0.99)).isZero();
    for (int i = 100; i >= 1; i--) {
      record.add(i);
    }
    assertThat(record.quantileNanos(0)).isEqualTo(1);
    assertThat(record.quantileNanos(0.5)).isEqualTo(50);
    assertThat(record.quantileNanos(0.99)).isEqualTo(99);
    assertThat(record.quantileNanos(1)).isEqualTo(100);
    assertThat(record.meanNanos()).isEqualTo(50.5);
    record.clear();
    assertThat(record.count()).isZero();
  }

  @Test
  void rejectsAnEmptyRequest() {
    assertThatThrownBy(() -> new RequestResponse.Plan(0, 1, 1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("requestBytes must be at least 1, not 0");
  }
}
