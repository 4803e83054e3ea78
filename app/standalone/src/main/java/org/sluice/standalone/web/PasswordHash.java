// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.web;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * A password as it is stored: {@code pbkdf2-sha512$ITERATIONS$SALT$HASH}, the last two in Base64.
 */
final class PasswordHash {
  /** OWASP's recommendation for PBKDF2-HMAC-SHA512. */
  private static final int ITERATIONS = 210_000;

  /** More would only make each login slow. */
  private static final int MOST_ITERATIONS = 10_000_000;

  private static final int SALT_BYTES = 16;
  private static final int HASH_BITS = 256;
  private static final Pattern FORM =
      Pattern.compile("pbkdf2-sha512\\$([1-9][0-9]{0,7})\\$([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+)");

  private final int iterations;
  private final byte[] salt;
  private final byte[] hash;

  private PasswordHash(int iterations, byte[] salt, byte[] hash) {
    this.iterations = iterations;
    this.salt = salt;
    this.hash = hash;
  }

  static PasswordHash of(char[] password) {
    return of(password, ITERATIONS);
  }

  static PasswordHash of(char[] password, int iterations) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    return new PasswordHash(iterations, salt, derive(password, salt, iterations));
  }

  /** One that no password has. */
  static PasswordHash ofNobody() {
    return new PasswordHash(ITERATIONS, new byte[SALT_BYTES], new byte[0]);
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException if it is nothing of the kind
   */
  static PasswordHash parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(1)) > MOST_ITERATIONS) {
      throw new IllegalArgumentException("this is no password as `sluiced users add` writes it");
    }
    Base64.Decoder base64 = Base64.getDecoder();
    return new PasswordHash(
        Integer.parseInt(matcher.group(1)),
        base64.decode(matcher.group(2)),
        base64.decode(matcher.group(3)));
  }

  /** Whether it is this password; takes a tenth of a second, or more. */
  boolean matches(char[] password) {
    return MessageDigest.isEqual(hash, derive(password, salt, iterations));
  }

  private static byte[] derive(char[] password, byte[] salt, int iterations) {
    PBEKeySpec spec = new PBEKeySpec(password, salt, iterations, HASH_BITS);
    try {
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(spec).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has PBKDF2", e);
    } finally {
      spec.clearPassword();
    }
  }

  /** The file of users is read again and again: what is equal is not computed anew. */
  @Override
  public boolean equals(Object other) {
    return other instanceof PasswordHash that
        && iterations == that.iterations
        && Arrays.equals(salt, that.salt)
        && MessageDigest.isEqual(hash, that.hash);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(salt);
  }

  @Override
  public String toString() {
    Base64.Encoder base64 = Base64.getEncoder();
    return "pbkdf2-sha512$"
        + iterations
        + "$"
        + base64.encodeToString(salt)
        + "$"
        + base64.encodeToString(hash);
  }
}
