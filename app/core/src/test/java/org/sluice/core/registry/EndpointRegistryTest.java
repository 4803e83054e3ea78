// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.VirtualTime;

/** Ten hosts of a hundred endpoints each: what one's lists cost. */
class EndpointRegistryTest {
  private static final int HOSTS = 10;
  private static final int ENDPOINTS = 100;

  private final VirtualTime time = new VirtualTime();
  private final FakeLink link = new FakeLink();
  private final EndpointRegistry registry =
      new RegistryFixture(link, new NodeJournal(time), time).endpoints;

  /** Claims that were looked at. */
  private int looks;

  @BeforeEach
  void connect() {
    registry.setRules(
        (endpoint, ip) -> {
          looks++;
          return Optional.empty();
        });
    for (int host = 0; host < HOSTS; host++) {
      link.connect(hello("h" + host, list(host, 0).toArray(ReportedEndpoint[]::new)));
    }
    looks = 0;
  }

  /** Where {@code swap} is 1 the first two have each other's address. */
  private static List<ReportedEndpoint> list(int host, int swap) {
    List<ReportedEndpoint> list = new ArrayList<>();
    for (int i = 0; i < ENDPOINTS; i++) {
      list.add(
          endpoint(
              "h" + host + "/vm" + i,
              String.format("02:00:00:00:%02x:%02x", host, i),
              "10.0." + host + "." + (i < 2 ? i ^ swap : i)));
    }
    return list;
  }

  private void report(int host, int swap) {
    link.report(
        UplinkMessage.ofEvent(
            HostEvent.of(
                HostId.of("h" + host), HostEvent.Kind.ENDPOINTS_CHANGED, "", list(host, swap))));
  }

  @Test
  void sameListAgainIsNoWorkForAnybody() {
    long epoch = registry.epoch().get();

    report(3, 0);

    assertThat(looks).isZero();
    assertThat(registry.epoch().get()).isEqualTo(epoch);
  }

  @Test
  void listenersAreNotifiedOfWhatChangedAlone() {
    long epoch = registry.epoch().get();

    report(3, 1);

    assertThat(looks).isEqualTo(2);
    assertThat(registry.changedSince(epoch).orElseThrow())
        .containsExactlyInAnyOrder(endpointId("h3/vm0"), endpointId("h3/vm1"));
    assertThat(registry.endpoint(endpointId("h3/vm0")).orElseThrow().ips())
        .containsExactly(IpAddress.parse("10.0.3.1"));
    assertThat(registry.holder(IpAddress.parse("10.0.3.1")))
        .isEqualTo(registry.endpoint(endpointId("h3/vm0")));
    assertThat(registry.reported())
        .hasSize(HOSTS * ENDPOINTS)
        .contains(registry.endpoint(endpointId("h3/vm0")).orElseThrow());
  }

  @Test
  void whoeverIsFarBehindLooksAtAll() {
    long epoch = registry.epoch().get();
    for (int i = 1; i <= 5000; i++) {
      report(3, i % 2);
    }

    assertThat(registry.changedSince(epoch)).isEmpty();
    assertThat(registry.changedSince(registry.epoch().get() - 1).orElseThrow()).hasSize(2);
    assertThat(registry.changedSince(registry.epoch().get()).orElseThrow()).isEmpty();
  }

  @Test
  void addressOfAHostThatLeftHasNoHolderOnceItIsForgotten() {
    link.disconnect(HostId.of("h3"));
    registry.forget(HostId.of("h3"));

    assertThat(registry.holder(IpAddress.parse("10.0.3.1"))).isEmpty();
    assertThat(registry.endpoint(endpointId("h3/vm1"))).isEmpty();
    assertThat(registry.reported()).hasSize((HOSTS - 1) * ENDPOINTS);
  }
}
