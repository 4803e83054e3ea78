// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.policy;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.link.LinkKey;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;

/**
 * The key with which agents authenticate feedback to each other. The policy leader makes a new one
 * every hour; it lies in the cluster's store, so that another leader goes on with it.
 */
final class PeerKeys {
  static final int KEY_BYTES = LinkKey.SECRET_BYTES;

  /** Agents accept the key before the newest: a rotation loses no feedback. */
  static final long ROTATION_MILLIS = TimeUnit.HOURS.toMillis(1);

  private static final String STORE = "sluice-peer-key";
  private static final String ENTRY = "key";

  private final ReplicatedMap store;
  private final SecureRandom random = new SecureRandom();

  /** A key, its number, and when it was made. */
  static final class PeerKey {
    final int id;
    final long madeMillis;
    final byte[] key;

    PeerKey(int id, long madeMillis, byte[] key) {
      this.id = id;
      this.madeMillis = madeMillis;
      this.key = key;
    }
  }

  PeerKeys(ReplicatedStorage storage) {
    store = storage.map(STORE);
  }

  /** The newest key, if there is one. */
  Optional<PeerKey> newest() {
    return store.get(ENTRY).map(Versioned::value).map(PeerKeys::decode);
  }

  /** The newest key, made now if there is none or it is due. For the leader alone. */
  PeerKey current(long nowMillis) {
    Optional<Versioned> stored = store.get(ENTRY);
    if (stored.isPresent()) {
      PeerKey key = decode(stored.get().value());
      long age = nowMillis - key.madeMillis;
      if (age >= 0 && age < ROTATION_MILLIS) {
        return key;
      }
    }
    byte[] bytes = new byte[KEY_BYTES];
    random.nextBytes(bytes);
    int id = stored.isEmpty() ? 1 : decode(stored.get().value()).id + 1;
    PeerKey fresh = new PeerKey(id, nowMillis, bytes);
    boolean won =
        stored.isEmpty()
            ? store.putIfAbsent(ENTRY, encode(fresh))
            : store.replace(ENTRY, stored.get().version(), encode(fresh));
    // A leader that was deposed meanwhile takes what its successor made.
    return won ? fresh : newest().orElse(fresh);
  }

  /** Forgets all keys. */
  void clear() {
    store.clear();
  }

  private static String encode(PeerKey key) {
    return Base64.getEncoder()
        .encodeToString(
            ByteBuffer.allocate(Integer.BYTES + Long.BYTES + KEY_BYTES)
                .putInt(key.id)
                .putLong(key.madeMillis)
                .put(key.key)
                .array());
  }

  private static PeerKey decode(String text) {
    ByteBuffer buffer = ByteBuffer.wrap(Base64.getDecoder().decode(text));
    int id = buffer.getInt();
    long made = buffer.getLong();
    byte[] key = new byte[KEY_BYTES];
    buffer.get(key);
    return new PeerKey(id, made, key);
  }
}
