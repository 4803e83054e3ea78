// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.core.testing.MemoryStorage;

class PeerKeysTest {
  private final MemoryStorage storage = new MemoryStorage();
  private final PeerKeys keys = new PeerKeys(storage);

  @Test
  void aKeyHasTheLengthThatAgentsExpect() {
    PeerKeys.PeerKey key = keys.current(1000);

    assertThat(key.key).hasSize(32);
    assertThat(key.key).isNotEqualTo(new byte[32]);
    assertThat(key.id).isEqualTo(1);
  }

  @Test
  void itHoldsForAnHourAndThenAnotherWithAGreaterNumberFollows() {
    PeerKeys.PeerKey first = keys.current(1000);

    assertThat(keys.current(1000 + PeerKeys.ROTATION_MILLIS - 1).id).isEqualTo(first.id);
    PeerKeys.PeerKey next = keys.current(1000 + PeerKeys.ROTATION_MILLIS);
    assertThat(next.id).isEqualTo(first.id + 1);
    assertThat(next.key).isNotEqualTo(first.key);
  }

  @Test
  void aClockThatGoesBackDoesNotKeepAKeyForEver() {
    PeerKeys.PeerKey first = keys.current(10_000);

    assertThat(keys.current(5000).id).isEqualTo(first.id + 1);
  }

  @Test
  void anotherLeaderGoesOnWithTheSameKey() {
    PeerKeys.PeerKey first = keys.current(1000);

    PeerKeys.PeerKey inherited = new PeerKeys(storage).current(2000);

    assertThat(inherited.id).isEqualTo(first.id);
    assertThat(inherited.key).isEqualTo(first.key);
  }
}
