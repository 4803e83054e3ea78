// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;

class HeldBackHistoryTest {
  private static final EndpointId ENDPOINT = EndpointId.of(HostId.of("h1"), "vm0");

  private final HeldBackHistory looks = new HeldBackHistory();

  private boolean check(boolean heldBack) {
    return looks
        .steady(Map.of(ENDPOINT, EndpointTraffic.of(5_000_000, 0, 0, heldBack)))
        .get(ENDPOINT)
        .heldBack();
  }

  @Test
  void singleSampleWithoutLimitDoesNotEndIt() {
    assertThat(check(false)).isFalse();
    assertThat(check(true)).isTrue();
    assertThat(check(false)).isTrue();
    assertThat(check(false)).isFalse();
  }

  @Test
  void idleEndpointIsNotLimited() {
    assertThat(check(true)).isTrue();
    assertThat(looks.steady(Map.of())).isEmpty();
    assertThat(check(false)).isFalse();
  }
}
