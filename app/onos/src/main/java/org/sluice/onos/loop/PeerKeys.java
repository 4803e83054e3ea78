// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.ConsistentMap;
import org.onosproject.store.service.Serializer;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.Versioned;

/**
 * The key with which agents authenticate feedback to each other. The policy leader makes a new one
 * every hour; it lies in the cluster's store, so that another leader goes on with it.
 */
final class PeerKeys {
  static final int KEY_BYTES = 32;

  /** Agents accept the key before the newest: a rotation loses no feedback. */
  static final long ROTATION_MILLIS = TimeUnit.HOURS.toMillis(1);

  private static final String STORE = "sluice-peer-key";
  private static final String ENTRY = "key";

  private final ConsistentMap<String, byte[]> store;
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

  PeerKeys(StorageService storage) {
    store =
        storage
            .<String, byte[]>consistentMapBuilder()
            .withName(STORE)
            .withSerializer(Serializer.using(KryoNamespaces.BASIC))
            .build();
  }

  /** The newest key, if there is one. */
  Optional<PeerKey> newest() {
    return Optional.ofNullable(store.get(ENTRY)).map(Versioned::value).map(PeerKeys::decode);
  }

  /** The newest key, made now if there is none or it is due. For the leader alone. */
  PeerKey current(long nowMillis) {
    Versioned<byte[]> stored = store.get(ENTRY);
    if (stored != null) {
      PeerKey key = decode(stored.value());
      long age = nowMillis - key.madeMillis;
      if (age >= 0 && age < ROTATION_MILLIS) {
        return key;
      }
    }
    byte[] bytes = new byte[KEY_BYTES];
    random.nextBytes(bytes);
    int id = stored == null ? 1 : decode(stored.value()).id + 1;
    PeerKey fresh = new PeerKey(id, nowMillis, bytes);
    boolean won =
        stored == null
            ? store.putIfAbsent(ENTRY, encode(fresh)) == null
            : store.replace(ENTRY, stored.version(), encode(fresh));
    // A leader that was deposed meanwhile takes what its successor made.
    return won ? fresh : newest().orElse(fresh);
  }

  /** Forgets all keys. */
  void clear() {
    store.clear();
  }

  private static byte[] encode(PeerKey key) {
    return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + KEY_BYTES)
        .putInt(key.id)
        .putLong(key.madeMillis)
        .put(key.key)
        .array();
  }

  private static PeerKey decode(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int id = buffer.getInt();
    long made = buffer.getLong();
    byte[] key = new byte[KEY_BYTES];
    buffer.get(key);
    return new PeerKey(id, made, key);
  }
}
