// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.regex.Pattern;

/** An IPv4 or IPv6 address. */
public final class IpAddress implements Comparable<IpAddress> {
  private static final Pattern IPV4 =
      Pattern.compile("(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

  private static final int IPV6_GROUPS = 8;

  /** IPv4-mapped addresses (RFC 4291), which RFC 5952 section 5 writes with dots at their end. */
  private static final int MAPPED_BITS = 96;

  /** Chosen anew by every process. */
  private static final long HASH_KEY = new SecureRandom().nextLong();

  private static final IpAddress MAPPED =
      new IpAddress(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0});

  private final byte[] bytes;
  private final int hash;
  private final int keyedHash;

  private IpAddress(byte[] bytes) {
    this.bytes = bytes;
    this.hash = hash(bytes);
    this.keyedHash = keyedHash(bytes);
  }

  private static int keyedHash(byte[] bytes) {
    long result = HASH_KEY;
    for (byte each : bytes) {
      result = (result ^ each & 0xff) * 0x9fb21c651e98df25L;
      result ^= result >>> 32;
    }
    return (int) (result ^ result >>> 17);
  }

  /** Neighbouring addresses get neighbouring values: a network's addresses do not collide. */
  private static int hash(byte[] bytes) {
    int result = 0;
    for (int i = 0; i < bytes.length; i += Integer.BYTES) {
      int word =
          bytes[i] << 24
              | (bytes[i + 1] & 0xff) << 16
              | (bytes[i + 2] & 0xff) << 8
              | bytes[i + 3] & 0xff;
      result = 31 * result + word;
    }
    return result;
  }

  /**
   * Reads an address literal; never queries a name service.
   *
   * @throws IllegalArgumentException if the text is no literal
   */
  public static IpAddress parse(String text) {
    if (IPV4.matcher(text).matches() || IPV6.matcher(text).matches()) {
      try {
        return new IpAddress(InetAddress.getByName(text).getAddress());
      } catch (UnknownHostException e) {
        // Falls through: looked like IPv6, but is not.
      }
    }
    throw new IllegalArgumentException(
        "'" + text + "' is not an IP address: expected a form like 10.0.0.1 or fd00::1");
  }

  /**
   * The address of 4 or 16 bytes in network order.
   *
   * @throws IllegalArgumentException for any other length
   */
  public static IpAddress of(byte[] bytes) {
    if (bytes.length != 4 && bytes.length != 16) {
      throw new IllegalArgumentException("an IP address has 4 or 16 bytes, not " + bytes.length);
    }
    return new IpAddress(bytes.clone());
  }

  /** The 4 or 16 bytes in network order. */
  public byte[] toBytes() {
    return bytes.clone();
  }

  public boolean isIpv4() {
    return bytes.length == 4;
  }

  /** Whether the first bits of this and the other address are the same. */
  boolean sharesPrefix(IpAddress other, int bits) {
    if (bytes.length != other.bytes.length) {
      return false;
    }
    int whole = bits / 8;
    if (!Arrays.equals(bytes, 0, whole, other.bytes, 0, whole)) {
      return false;
    }
    int rest = bits % 8;
    return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0;
  }

  /** This address with all but its first bits zeroed. */
  IpAddress masked(int bits) {
    byte[] result = bytes.clone();
    for (int i = 0; i < result.length; i++) {
      int keep = Math.max(0, Math.min(8, bits - 8 * i));
      result[i] &= (byte) (0xff << (8 - keep));
    }
    return new IpAddress(result);
  }

  @Override
  public int compareTo(IpAddress other) {
    int byLength = Integer.compare(bytes.length, other.bytes.length);
    return byLength != 0 ? byLength : Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IpAddress && Arrays.equals(bytes, ((IpAddress) other).bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /**
   * A hash that differs from process to process: nobody outside can choose addresses that collide.
   * For tables that search linearly; {@link #hashCode} is the same everywhere.
   */
  public int keyedHash() {
    return keyedHash;
  }

  /** IPv6 in the one form of RFC 5952: lower case, no leading zeros, the longest zeros as "::". */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (isIpv4()) {
      appendDotted(text, 0);
      return text.toString();
    }
    if (sharesPrefix(MAPPED, MAPPED_BITS)) {
      appendDotted(text.append("::ffff:"), MAPPED_BITS / 8);
      return text.toString();
    }
    int first = longestZeros();
    for (int i = 0; i < IPV6_GROUPS; i++) {
      if (i == first) {
        text.append("::");
        i += zerosFrom(first) - 1;
      } else {
        boolean isBehindColon = i == 0 || text.charAt(text.length() - 1) == ':';
        text.append(isBehindColon ? "" : ":").append(Integer.toHexString(group(i)));
      }
    }
    return text.toString();
  }

  private void appendDotted(StringBuilder text, int from) {
    for (int i = from; i < bytes.length; i++) {
      text.append(i == from ? "" : ".").append(bytes[i] & 0xff);
    }
  }

  private int group(int number) {
    return (bytes[2 * number] & 0xff) << 8 | bytes[2 * number + 1] & 0xff;
  }

  /** Where the longest run of groups of zero begins, the first of equal ones; -1: none of two. */
  private int longestZeros() {
    int found = -1;
    int most = 1;
    for (int i = 0; i < IPV6_GROUPS; i++) {
      if (zerosFrom(i) > most) {
        found = i;
        most = zerosFrom(i);
      }
    }
    return found;
  }

  private int zerosFrom(int first) {
    int end = first;
    while (end < IPV6_GROUPS && group(end) == 0) {
      end++;
    }
    return end - first;
  }
}
