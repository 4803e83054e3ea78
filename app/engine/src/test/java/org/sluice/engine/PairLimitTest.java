// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.PairSample;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** A host that invents pairs, or has a VM that scans, costs itself alone. */
class PairLimitTest {
  private static final int MOST = PairTable.MAX_PAIRS_PER_HOST;

  private final EngineFixture fixture = EngineFixture.dumbbell(2);

  /** Samples of host 1: from its endpoint at an address to as many others as nobody has. */
  private static PairSample[] invented(IpAddress source, int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(
            n ->
                PairSample.of(
                    source,
                    IpAddress.parse(
                        "172." + (16 + n / 62_500) + "." + n / 250 % 250 + "." + n % 250),
                    1,
                    100,
                    0,
                    0,
                    0))
        .toArray(PairSample[]::new);
  }

  private void another(String interfaceName, IpAddress ip) {
    fixture.engine.putEndpoint(
        EndpointProfile.of(
            EndpointId.of(EngineFixture.host(1), interfaceName), TenantId.of("t7"), 1, 0, 0, false),
        Set.of(ip));
  }

  private long remembered() {
    return fixture.figure(Figure.REMEMBERED_PAIRS);
  }

  @Test
  void endpointMayUseHalfOfTheHostsRemainingPairQuota() {
    IpAddress neighbour = EngineFixture.ip(77);
    another("vm1", neighbour);

    fixture.observe(1, invented(EngineFixture.ip(1), 0, 2 * MOST));
    assertThat(remembered()).isEqualTo(MOST / 2);
    fixture.observe(1, invented(neighbour, 0, 2 * MOST));

    assertThat(remembered()).isEqualTo(MOST / 2 + MOST / 4);
    assertThat(fixture.engine.refusedPairs())
        .containsOnlyKeys(EngineFixture.host(1))
        .containsValue(4L * MOST - MOST / 2 - MOST / 4);
  }

  @Test
  void quotaIsPerHost() {
    fixture.observe(1, invented(EngineFixture.ip(1), 0, 2 * MOST));

    fixture.observe(2, EngineFixture.sent(2, 9, 10));

    assertThat(remembered()).isEqualTo(MOST / 2 + 1);
    assertThat(fixture.figure(Figure.SAMPLES_OVERFLOW)).isEqualTo(2L * MOST - MOST / 2);
  }

  /** Whoever invents what came from a neighbour has no more of them either. */
  @Test
  void reportedReceivedPairsCountAgainstTheReceiversHost() {
    List<IpAddress> own = new ArrayList<>();
    for (int n = 0; n < MOST + 100; n++) {
      own.add(IpAddress.parse("10." + (100 + n / 62_500) + "." + n / 250 % 250 + "." + n % 250));
    }
    fixture.engine.putEndpoint(
        EndpointProfile.of(
            EndpointId.of(EngineFixture.host(1), "vm1"), TenantId.of("t7"), 1, 0, 0, false),
        Set.copyOf(own));
    PairSample[] received =
        own.stream()
            .map(ip -> PairSample.of(EngineFixture.ip(2), ip, 0, 0, 1, 100, 0))
            .toArray(PairSample[]::new);

    fixture.observe(1, received);
    assertThat(remembered()).isEqualTo(MOST);

    fixture.observe(2, EngineFixture.sent(2, 9, 10));
    assertThat(remembered()).isEqualTo(MOST + 1);
  }

  @Test
  void rejectedPairsAreJournaledOnceAMinute() {
    fixture.observe(1, invented(EngineFixture.ip(1), 0, 2 * MOST)).tick();
    fixture.observe(1, invented(EngineFixture.ip(1), 0, 2 * MOST)).tick();

    assertThat(fixture.journaled(Kind.REFUSED))
        .filteredOn(entry -> entry.decision().contains("new pairs of host h1"))
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.endpoint()).contains(EngineFixture.endpoint(1));
              assertThat(entry.evidence()).contains("8192 of at most 16384 pairs");
            });
  }

  @Test
  void expiredPairsFreeTheQuota() {
    fixture.observe(1, invented(EngineFixture.ip(1), 0, 2 * MOST)).tick();
    fixture.pass(3_000);
    assertThat(remembered()).isZero();
    assertThat(
            fixture
                .engine
                .state
                .hosts
                .pairs[fixture.engine.state.hosts.find(EngineFixture.host(1))])
        .isZero();

    fixture.observe(1, invented(EngineFixture.ip(1), 5 * MOST, 10));
    assertThat(remembered()).isEqualTo(10);
  }
}
