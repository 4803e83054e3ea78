// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Arrays;

/**
 * The X25519 public key of one start of an agent (RFC 7748), from which it derives keys with
 * others.
 */
@AutoValue
public abstract class PeerPublicKey {
  public static final int BYTES = 32;

  /**
   * A key.
   *
   * @param bytes {@link #BYTES} bytes, not all of them 0
   * @throws IllegalArgumentException if they are not
   */
  public static PeerPublicKey of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "has " + bytes.length + " bytes; an X25519 public key has " + BYTES);
    }
    if (Arrays.equals(bytes, new byte[BYTES])) {
      throw new IllegalArgumentException(
          "is 0, which is nobody's; send the public key of a key pair made for X25519");
    }
    return new AutoValue_PeerPublicKey(bytes.clone());
  }

  @SuppressWarnings("mutable") // A copy that is never handed out.
  abstract byte[] ownBytes();

  public final byte[] bytes() {
    return ownBytes().clone();
  }
}
