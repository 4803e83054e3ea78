// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;

class HeldBackLooksTest {
  private static final EndpointId ENDPOINT = EndpointId.of(HostId.of("h1"), "vm0");

  private final HeldBackLooks looks = new HeldBackLooks();

  private boolean look(boolean heldBack) {
    return looks
        .steady(Map.of(ENDPOINT, EndpointTraffic.of(5_000_000, 0, 0, heldBack)))
        .get(ENDPOINT)
        .heldBack();
  }

  @Test
  void singleSampleWithoutLimitDoesNotEndIt() {
    assertThat(look(false)).isFalse();
    assertThat(look(true)).isTrue();
    assertThat(look(false)).isTrue();
    assertThat(look(false)).isFalse();
  }

  @Test
  void idleEndpointIsNotLimited() {
    assertThat(look(true)).isTrue();
    assertThat(looks.steady(Map.of())).isEmpty();
    assertThat(look(false)).isFalse();
  }
}
