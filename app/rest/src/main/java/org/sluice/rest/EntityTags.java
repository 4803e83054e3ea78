// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.ws.rs.core.EntityTag;

/** Strong entity tags: whoever has one of two equal ones has the same representation. */
final class EntityTags {
  private static final int TAG_BYTES = 16;

  private EntityTags() {}

  /** Of what is served, byte by byte. */
  static EntityTag ofContent(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return new EntityTag(new BigInteger(1, Arrays.copyOf(digest, TAG_BYTES)).toString(36));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
