// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;

/** A public key by which agents are certified to each other. */
@AutoValue
public abstract class AuthorityKey {
  /** Of a point of P-256, uncompressed (SEC 1, 2.3.3). */
  public static final int POINT_BYTES = 65;

  /**
   * A key.
   *
   * @param id grows with every new key
   * @param point {@link #POINT_BYTES} bytes
   * @throws IllegalArgumentException if the point has another length
   */
  public static AuthorityKey of(int id, byte[] point) {
    if (point.length != POINT_BYTES) {
      throw new IllegalArgumentException(
          "a point has " + POINT_BYTES + " bytes, not " + point.length);
    }
    return new AutoValue_AuthorityKey(id, point.clone());
  }

  public abstract int id();

  @SuppressWarnings("mutable") // A copy that is never handed out.
  abstract byte[] ownPoint();

  public final byte[] point() {
    return ownPoint().clone();
  }
}
