// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.IpAddress;

/** Proves to other agents that an address is of the host whose agent has a public key. */
@AutoValue
public abstract class PeerCertificate {
  /** r and s of ECDSA on P-256. */
  public static final int SIGNATURE_BYTES = 64;

  /**
   * A certificate.
   *
   * @param authorityKeyId which of the authority's keys signed
   * @param issuedMillis grows with every certificate: of two for one address the greater holds
   * @throws IllegalArgumentException if the signature has another length than {@link
   *     #SIGNATURE_BYTES}
   */
  public static PeerCertificate of(
      IpAddress ip, PeerPublicKey key, int authorityKeyId, long issuedMillis, byte[] signature) {
    if (signature.length != SIGNATURE_BYTES) {
      throw new IllegalArgumentException(
          "a signature has " + SIGNATURE_BYTES + " bytes, not " + signature.length);
    }
    return new AutoValue_PeerCertificate(ip, key, authorityKeyId, issuedMillis, signature.clone());
  }

  public abstract IpAddress ip();

  public abstract PeerPublicKey key();

  public abstract int authorityKeyId();

  public abstract long issuedMillis();

  @SuppressWarnings("mutable") // A copy that is never handed out.
  abstract byte[] ownSignature();

  public final byte[] signature() {
    return ownSignature().clone();
  }
}
