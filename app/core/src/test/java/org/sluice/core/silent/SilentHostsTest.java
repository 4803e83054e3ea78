// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.link.HostEvent;

class SilentHostsTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");

  private long now = SECONDS.toNanos(100);
  private boolean listens = true;
  private int returned;
  private final SilentHosts hosts = new SilentHosts(() -> listens, () -> now, () -> returned++);

  private Set<HostId> after(long seconds) {
    now += SECONDS.toNanos(seconds);
    hosts.follow();
    return hosts.silentFor(SECONDS.toNanos(5));
  }

  @Test
  void disconnectedHostIsSilentUntilItReconnects() {
    hosts.follow();
    hosts.sessionOpened(hello("h1"));
    assertThat(after(60)).isEmpty();
    hosts.sessionClosed(H1);
    assertThat(after(4)).isEmpty();
    assertThat(after(1)).containsExactly(H1);
    assertThat(returned).isZero();
    hosts.sessionOpened(hello("h1"));
    assertThat(after(60)).isEmpty();
    assertThat(returned).isEqualTo(1);
  }

  @Test
  void stoppedHostIsNotSilent() {
    hosts.follow();
    hosts.eventReported(HostEvent.of(H1, HostEvent.Kind.LEAVING, "", List.of()));
    hosts.sessionClosed(H1);
    assertThat(after(60)).isEmpty();
    hosts.sessionOpened(hello("h1"));
    hosts.sessionClosed(H1);
    assertThat(after(60)).containsExactly(H1);
  }

  /** The link starts anew with another port or key. */
  @Test
  void timeWithoutAgentLinkDoesNotCount() {
    hosts.follow();
    hosts.sessionClosed(H1);
    after(10);
    listens = false;
    assertThat(hosts.follow()).isFalse();
    hosts.sessionClosed(H2);
    after(60);
    listens = true;
    assertThat(after(60)).as("it was silent before").containsExactly(H1);
    assertThat(after(4)).containsExactly(H1);
    assertThat(after(1)).containsExactlyInAnyOrder(H1, H2);
  }
}
