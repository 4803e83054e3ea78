// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.testing.Samples.peerKey;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.link.AuthorityKey;
import org.sluice.api.link.PeerCertificate;
import org.sluice.core.testing.MemoryStorage;

class PeerAuthorityTest {
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");

  private final MemoryStorage storage = new MemoryStorage();
  private long now = 1_000_000;
  private final PeerAuthority authority = node(0);

  /** One on a node whose clock is off. */
  private PeerAuthority node(long aheadMillis) {
    return new PeerAuthority(storage, () -> now + aheadMillis);
  }

  /** Checks a certificate as an agent does; the text is written down anew. */
  static boolean isGood(PeerCertificate certificate, AuthorityKey key) {
    byte[] ip = certificate.ip().toBytes();
    ByteBuffer text =
        ByteBuffer.allocate(25 + 4 + 16 + 8 + 32)
            .put("sluice peer certificate 1".getBytes(StandardCharsets.US_ASCII))
            .putInt(certificate.authorityKeyId());
    if (ip.length == 4) {
      text.put(new byte[10]).put((byte) 0xff).put((byte) 0xff);
    }
    text.put(ip).putLong(certificate.issuedMillis()).put(certificate.key().bytes());
    byte[] point = key.point();
    try {
      AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
      curve.init(new ECGenParameterSpec("secp256r1"));
      ECPoint w =
          new ECPoint(
              new BigInteger(1, Arrays.copyOfRange(point, 1, 33)),
              new BigInteger(1, Arrays.copyOfRange(point, 33, 65)));
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initVerify(
          KeyFactory.getInstance("EC")
              .generatePublic(
                  new ECPublicKeySpec(w, curve.getParameterSpec(ECParameterSpec.class))));
      signature.update(text.array());
      return point[0] == 4 && signature.verify(certificate.signature());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void certificatesAreSignedByTheNewestKey() {
    AuthorityKey key = authority.current(now).publicKeys().get(0);

    for (String ip : new String[] {"10.0.0.1", "fd00::1"}) {
      PeerCertificate certificate = authority.certify(IpAddress.parse(ip), peerKey(7));
      assertThat(isGood(certificate, key)).as(ip).isTrue();
      assertThat(certificate.authorityKeyId()).isEqualTo(key.id());
      assertThat(certificate.key()).isEqualTo(peerKey(7));
      byte[] changed = certificate.signature();
      changed[40] ^= 1;
      assertThat(
              isGood(
                  PeerCertificate.of(
                      certificate.ip(),
                      certificate.key(),
                      certificate.authorityKeyId(),
                      certificate.issuedMillis(),
                      changed),
                  key))
          .isFalse();
    }
  }

  @Test
  void pointsAndSignaturesHaveAFixedLength() {
    for (int i = 0; i < 300; i++) {
      AuthorityKey key = authority.current(now).publicKeys().get(0);
      assertThat(isGood(authority.certify(IP, peerKey(1)), key)).isTrue();
      now += PeerAuthority.ROTATION_MILLIS;
    }
  }

  @Test
  void keyIsReplacedByOneWithAGreaterNumberAfterAnHour() {
    PeerAuthority.Keys first = authority.current(now);
    assertThat(first.id()).isEqualTo(1);
    assertThat(first.publicKeys()).hasSize(1);
    assertThat(authority.current(now + PeerAuthority.ROTATION_MILLIS - 1).id()).isEqualTo(1);

    PeerAuthority.Keys second = authority.current(now + PeerAuthority.ROTATION_MILLIS);
    assertThat(second.id()).isEqualTo(2);
    assertThat(second.publicKeys()).hasSize(2);
    assertThat(second.publicKeys().get(1)).isEqualTo(first.publicKeys().get(0));
    PeerAuthority.Keys third = authority.current(now + 2 * PeerAuthority.ROTATION_MILLIS);
    assertThat(third.publicKeys())
        .extracting(AuthorityKey::id)
        .as("the first one's certificates are void")
        .containsExactly(3, 2);
    assertThat(isGood(authority.certify(IP, peerKey(1)), third.publicKeys().get(0))).isTrue();
  }

  @Test
  void clockStepBackwardsDoesNotPreventRotation() {
    int first = authority.current(10_000).id();

    assertThat(authority.current(5000).id()).isEqualTo(first + 1);
  }

  @Test
  void nextLeaderUsesTheSameKeys() {
    PeerAuthority.Keys first = authority.current(now);
    PeerAuthority other = node(0);
    PeerAuthority.Keys inherited = other.current(now + 2000);

    assertThat(inherited.publicKeys()).isEqualTo(first.publicKeys());
    assertThat(isGood(other.certify(IP, peerKey(2)), first.publicKeys().get(0))).isTrue();
  }

  @Test
  void formerLeaderAdoptsTheKeysOfItsSuccessor() {
    authority.current(now);
    PeerAuthority successor = node(0);
    long later = now + PeerAuthority.ROTATION_MILLIS;
    storage.beforeNextReplace(() -> successor.current(later));

    assertThat(authority.current(later).publicKeys())
        .isEqualTo(successor.newest().orElseThrow().publicKeys());
    assertThat(authority.current(later).id()).isEqualTo(2);
  }

  @Test
  void certificateTimesIncreaseDespiteClockSkewOfNodes() {
    PeerAuthority ahead = node(3_600_000);
    ahead.current(now);
    long last = ahead.certify(IP, peerKey(1)).issuedMillis();
    assertThat(ahead.certify(IP, peerKey(1)).issuedMillis()).isGreaterThan(last);
    last = ahead.certify(IP, peerKey(1)).issuedMillis();

    authority.current(now);
    long after = authority.certify(IP, peerKey(2)).issuedMillis();
    assertThat(after).as("the next leader's").isGreaterThan(last);

    assertThat(ahead.certify(IP, peerKey(1)).issuedMillis())
        .as("of one that does not know yet that it was deposed")
        .isLessThan(after);
    now += 2 * PeerAuthority.RESERVED_MILLIS;
    ahead.current(now);
    last = authority.certify(IP, peerKey(2)).issuedMillis();
    authority.resign();
    ahead.resign();
    ahead.current(now);
    assertThat(ahead.certify(IP, peerKey(1)).issuedMillis())
        .as("of one that leads again")
        .isGreaterThan(last);
  }

  @Test
  void nodeWithOutdatedKeysCannotReserveTimes() {
    authority.current(now);
    authority.certify(IP, peerKey(1));
    node(0).current(now + PeerAuthority.ROTATION_MILLIS);
    now += 2 * PeerAuthority.RESERVED_MILLIS;

    assertThatThrownBy(() -> authority.certify(IP, peerKey(1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void clearingDeletesTheKeys() {
    authority.current(now);
    assertThat(authority.newest()).isPresent();
    authority.clear();
    assertThat(authority.newest()).isEmpty();
  }
}
