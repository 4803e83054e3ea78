// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;

/** A key that notices in band are authenticated with. */
@AutoValue
public abstract class LinkKey {
  public static final int SECRET_BYTES = 32;

  /**
   * A key.
   *
   * @param id grows with every new key of the same origin
   * @param secret {@link #SECRET_BYTES} bytes
   * @throws IllegalArgumentException if the secret has another length
   */
  public static LinkKey of(int id, byte[] secret) {
    if (secret.length != SECRET_BYTES) {
      throw new IllegalArgumentException(
          "a key has " + SECRET_BYTES + " bytes, not " + secret.length);
    }
    return new AutoValue_LinkKey(id, secret.clone());
  }

  public abstract int id();

  @SuppressWarnings("mutable") // A copy that is never handed out.
  abstract byte[] ownSecret();

  public final byte[] secret() {
    return ownSecret().clone();
  }

  /** Without the secret: messages get into logs. */
  @Override
  public final String toString() {
    return "key " + id();
  }
}
