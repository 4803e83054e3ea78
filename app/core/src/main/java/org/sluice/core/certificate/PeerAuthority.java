// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.certificate;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.api.IpAddress;
import org.sluice.api.link.AuthorityKey;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.core.runtime.MonotonicTime;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;

/**
 * Certifies agents to each other: by a key pair (ECDSA on P-256) that the cluster's leader makes
 * anew every hour. It lies in the cluster's store, so that another leader goes on with it; the
 * private key never leaves the cluster's nodes. Certificates of the newest key pair and of the one
 * before are valid, so that a rotation interrupts nothing. Thread-safe.
 */
final class PeerAuthority {
  static final long ROTATION_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** So far ahead a leader reserves the times of its certificates: it writes as seldom. */
  static final long RESERVED_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private static final String STORE = "sluice-peer-authority";
  private static final String ENTRY = "keys";
  private static final String CURVE = "secp256r1";
  private static final int COORDINATE_BYTES = 32;
  private static final byte[] DOMAIN =
      "sluice peer certificate 1".getBytes(StandardCharsets.US_ASCII);

  private final ReplicatedMap store;
  private final MonotonicTime time;
  private Keys current;
  private PrivateKey signing;
  private boolean isCleared;

  /** The key pairs, as all nodes have them. Immutable. */
  static final class Keys {
    private final int id;
    private final long madeMillis;

    /** No certificate of any node is of a later time. */
    private final long reservedMillis;

    private final byte[] privateKey;

    /** Public keys, the newest first. */
    private final List<AuthorityKey> publicKeys;

    private Keys(
        int id,
        long madeMillis,
        long reservedMillis,
        byte[] privateKey,
        List<AuthorityKey> publicKeys) {
      this.id = id;
      this.madeMillis = madeMillis;
      this.reservedMillis = reservedMillis;
      this.privateKey = privateKey;
      this.publicKeys = List.copyOf(publicKeys);
    }

    /** Of the newest key pair; grows. */
    int id() {
      return id;
    }

    /** The public keys that agents are to accept, the newest first. */
    List<AuthorityKey> publicKeys() {
      return publicKeys;
    }

    private Keys reservedUntil(long millis) {
      return new Keys(id, madeMillis, millis, privateKey, publicKeys);
    }
  }

  /** One whose clock is the time of day, ms, which never goes back. */
  PeerAuthority(ReplicatedStorage storage, LongSupplier clockMillis) {
    store = storage.map(STORE);
    time = new MonotonicTime(clockMillis);
  }

  /** The newest keys, if there are any. */
  synchronized Optional<Keys> newest() {
    return store.get(ENTRY).map(Versioned::value).map(PeerAuthority::decode);
  }

  /** The newest keys, made now if there are none or they are due. For the leader alone. */
  synchronized Keys current(long nowMillis) {
    if (isCleared) {
      throw new IllegalStateException("the keys are withdrawn");
    }
    Optional<Versioned> stored = store.get(ENTRY);
    Optional<Keys> before = stored.map(Versioned::value).map(PeerAuthority::decode);
    if (before.isPresent()) {
      long age = nowMillis - before.get().madeMillis;
      if (age >= 0 && age < ROTATION_MILLIS) {
        return use(before.get());
      }
    }
    Keys fresh = successor(before, nowMillis);
    boolean won =
        stored.isEmpty()
            ? store.putIfAbsent(ENTRY, encode(fresh))
            : store.replace(ENTRY, stored.get().version(), encode(fresh));
    // A leader that was deposed meanwhile takes what its successor made.
    return use(won ? fresh : newest().orElse(fresh));
  }

  private Keys use(Keys keys) {
    if (current == null || current.reservedMillis != keys.reservedMillis) {
      time.seen(keys.reservedMillis); // Another node's certificates may have had all until then.
    }
    if (current == null || current.id != keys.id) {
      signing = null;
    }
    current = keys;
    return keys;
  }

  /** Forgets what this node knew as the leader: the next one's certificates are later. */
  synchronized void resign() {
    current = null;
    signing = null;
  }

  /** Forgets all keys, and makes no more. */
  synchronized void clear() {
    isCleared = true;
    store.clear();
  }

  /**
   * Certifies that an address is of the host whose agent has a key. It takes about a millisecond.
   * After {@link #current}, for the leader alone.
   */
  synchronized PeerCertificate certify(IpAddress ip, PeerPublicKey key) {
    long issued = time.next();
    if (issued > current.reservedMillis) {
      issued = reserve(issued);
    }
    byte[] text =
        ByteBuffer.allocate(
                DOMAIN.length + Integer.BYTES + MAPPED_BYTES + Long.BYTES + PeerPublicKey.BYTES)
            .put(DOMAIN)
            .putInt(current.id)
            .put(mapped(ip))
            .putLong(issued)
            .put(key.bytes())
            .array();
    try {
      if (signing == null) {
        signing =
            KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(current.privateKey));
      }
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(signing);
      signature.update(text);
      return PeerCertificate.of(ip, key, current.id, issued, signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java cannot sign by ECDSA on P-256", e);
    }
  }

  /** Reserves times for certificates to come, so that a successor's are later than all of these. */
  private long reserve(long issued) {
    Versioned stored =
        store.get(ENTRY).orElseThrow(() -> new IllegalStateException("the keys are withdrawn"));
    Keys newest = decode(stored.value());
    if (newest.id != current.id) {
      throw new IllegalStateException("another node has made new keys");
    }
    use(newest);
    long later = Math.max(issued, time.next());
    Keys reserved = newest.reservedUntil(later + RESERVED_MILLIS);
    if (!store.replace(ENTRY, stored.version(), encode(reserved))) {
      throw new IllegalStateException("another node has written meanwhile");
    }
    current = reserved;
    return later;
  }

  private static final int MAPPED_BYTES = 16;

  /** 16 bytes; IPv4 as IPv4-mapped IPv6. */
  private static byte[] mapped(IpAddress ip) {
    byte[] bytes = ip.toBytes();
    if (bytes.length == MAPPED_BYTES) {
      return bytes;
    }
    return ByteBuffer.allocate(MAPPED_BYTES)
        .position(10)
        .put((byte) 0xff)
        .put((byte) 0xff)
        .put(bytes)
        .array();
  }

  private static Keys successor(Optional<Keys> before, long nowMillis) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(CURVE));
      KeyPair pair = generator.generateKeyPair();
      int id = before.map(keys -> keys.id + 1).orElse(1);
      List<AuthorityKey> publicKeys = new ArrayList<>();
      publicKeys.add(AuthorityKey.of(id, point((ECPublicKey) pair.getPublic())));
      before.ifPresent(keys -> publicKeys.add(keys.publicKeys.get(0)));
      return new Keys(
          id,
          nowMillis,
          before.map(keys -> keys.reservedMillis).orElse(0L),
          pair.getPrivate().getEncoded(),
          publicKeys);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java cannot make keys on P-256", e);
    }
  }

  private static byte[] point(ECPublicKey key) {
    ECPoint point = key.getW();
    ByteBuffer encoded = ByteBuffer.allocate(AuthorityKey.POINT_BYTES).put((byte) 4);
    for (BigInteger coordinate : List.of(point.getAffineX(), point.getAffineY())) {
      byte[] bytes = coordinate.toByteArray(); // With a sign, and without leading zeros.
      int length = Math.min(bytes.length, COORDINATE_BYTES);
      encoded
          .position(encoded.position() + COORDINATE_BYTES - length)
          .put(bytes, bytes.length - length, length);
    }
    return encoded.array();
  }

  /** A line of numbers, one with the private key, and one for each public key. */
  private static String encode(Keys keys) {
    StringBuilder text =
        new StringBuilder()
            .append(keys.madeMillis)
            .append(' ')
            .append(keys.reservedMillis)
            .append('\n')
            .append(base64(keys.privateKey));
    keys.publicKeys.forEach(
        key -> text.append('\n').append(key.id()).append(' ').append(base64(key.point())));
    return text.toString();
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static Keys decode(String text) {
    String[] lines = text.split("\n");
    String[] times = lines[0].split(" ");
    List<AuthorityKey> publicKeys = new ArrayList<>();
    for (int i = 2; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      publicKeys.add(
          AuthorityKey.of(Integer.parseInt(words[0]), Base64.getDecoder().decode(words[1])));
    }
    return new Keys(
        publicKeys.get(0).id(),
        Long.parseLong(times[0]),
        Long.parseLong(times[1]),
        Base64.getDecoder().decode(lines[1]),
        publicKeys);
  }
}
