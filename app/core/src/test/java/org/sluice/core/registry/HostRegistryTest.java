// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Quarantine;
import org.sluice.api.link.Refusal;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;

class HostRegistryTest {
  private static final HostId H1 = HostId.of("h1");

  private final VirtualTime time = new VirtualTime();
  private final FakeLink link = new FakeLink();
  private final NodeJournal journal = new NodeJournal(time);
  private final HostRegistry registry = new RegistryFixture(link, journal, time).hosts;

  private Host host() {
    return registry.host(H1).orElseThrow();
  }

  private List<JournalEntry> journaled() {
    return journal.entries(-1, Optional.empty(), 100);
  }

  @Test
  void disconnectedHostStaysListed() {
    link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    assertThat(host().connected()).isTrue();
    assertThat(host().endpointCount()).isEqualTo(1);
    assertThat(host().uplinkCapacityBitsPerSecond()).isEqualTo(Samples.NIC_BITS_PER_SECOND);

    link.disconnect(H1);
    assertThat(host().connected()).isFalse();
    assertThat(registry.hosts()).hasSize(1);
    assertThat(journaled())
        .extracting(JournalEntry::kind)
        .containsOnly(JournalEntry.Kind.HOST)
        .hasSize(2);
  }

  @Test
  void certificateIsTheLatestSessionsEvenWhileNoneIsUp() {
    Instant first = Instant.ofEpochSecond(1);
    link.connect(hello("h1").withCertificateNotAfter(first));
    link.connect(hello("h1").withCertificateNotAfter(first.plusSeconds(9)));
    link.disconnect(H1);
    assertThat(host().certificateNotAfter()).contains(first.plusSeconds(9));
  }

  @Test
  void idleConnectedHostHasARecentLastSeenTime() {
    link.connect(hello("h1"));
    time.advanceMillis(14 * 60_000);
    assertThat(host().lastSeen()).isEqualTo(time.instant().minusMillis(5000));
    link.disconnect(H1);
    time.advanceMillis(60_000);
    assertThat(host().lastSeen()).isEqualTo(time.instant().minusMillis(60_000));
  }

  @Test
  void unclaimedEndpointsAreCounted() {
    link.connect(hello("h1"));

    registry.eventReported(
        HostEvent.of(
            H1,
            HostEvent.Kind.ENDPOINTS_CHANGED,
            "",
            List.of(endpoint("h1/vm0", "02:00:00:00:01:01"))));

    assertThat(host().endpointCount()).isEqualTo(1);
  }

  private void dropResidual(long packets) {
    EndpointSample sample =
        EndpointSample.of(EndpointId.of(H1, "vm0"), 0, 0, packets, 0, 0, 0, packets, List.of());
    registry.observed(
        HostObservation.of(H1, time.nanoTime(), 1_000_000, List.of(), List.of(sample)));
  }

  @Test
  void lastingExcessOfResidualTrafficIsReported() {
    link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    for (int second = 0; second <= 20; second++) {
      assertThat(host().residualExceededBy()).isEmpty();
      dropResidual(3);
      time.advanceMillis(1000);
    }
    assertThat(host().residualDroppedPackets()).isEqualTo(63);
    assertThat(host().residualExceededBy()).containsExactly("vm0");

    time.advanceNanos(ResidualDrops.PAUSE.toNanos());
    assertThat(host().residualExceededBy()).isEmpty();
    dropResidual(1);
    assertThat(host().residualExceededBy()).as("they begin anew").isEmpty();
    assertThat(host().residualDroppedPackets()).isEqualTo(64);

    link.connect(hello("h1"));
    assertThat(host().residualDroppedPackets()).as("of a new session").isZero();
  }

  @Test
  void quarantineIsShownAndItsBeginAndEndAreJournaled() {
    link.report(UplinkMessage.ofQuarantine(Quarantine.of(H1, "65536 addresses")));
    assertThat(host().quarantine()).isEqualTo("65536 addresses");
    assertThat(host().connected()).as("its hello was refused").isFalse();

    link.report(UplinkMessage.ofQuarantine(Quarantine.over(H1)));
    assertThat(host().quarantine()).isEmpty();
    assertThat(journaled())
        .extracting(JournalEntry::decision)
        .containsExactly(
            "The quarantine of host h1 is over",
            "Host h1 is in quarantine: its reports are ignored");
  }

  @Test
  void conditionsOfAHostAreKeptUntilTheyEnd() {
    link.connect(hello("h1"));
    registry.eventReported(HostEvent.ofConditions(H1, List.of("vm9: too many endpoints")));

    assertThat(host().conditions()).containsExactly("vm9: too many endpoints");
    assertThat(journaled().get(0).evidence()).contains("vm9");

    registry.eventReported(HostEvent.ofConditions(H1, List.of()));

    assertThat(host().conditions()).isEmpty();
  }

  @Test
  void hostEventsAndRefusalsAreJournaled() {
    link.connect(hello("h1"));
    registry.eventReported(
        HostEvent.of(H1, HostEvent.Kind.SPOOFED, "vm0 used 10.0.0.9", List.of()));
    registry.refused(Refusal.of("h9", "it reported that it was h1"));

    assertThat(journaled().get(1).decision()).contains("h1", "sent a packet that it may not");
    assertThat(journaled().get(1).evidence()).contains("10.0.0.9");
    assertThat(journaled().get(0).kind()).isEqualTo(JournalEntry.Kind.REFUSED);
    assertThat(journaled().get(0).decision()).contains("h9");
  }
}
