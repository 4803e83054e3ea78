// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.regex.Pattern;

/** An Ethernet address. */
public final class MacAddress implements Comparable<MacAddress> {
  private static final Pattern FORM = Pattern.compile("([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}");

  private final long bits;

  private MacAddress(long bits) {
    this.bits = bits;
  }

  /**
   * Reads {@code 02:00:00:00:01:01}.
   *
   * @throws IllegalArgumentException for any other form
   */
  public static MacAddress parse(String text) {
    if (!FORM.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an Ethernet address: expected a form like 02:00:00:00:01:01");
    }
    return new MacAddress(Long.parseLong(text.replace(":", ""), 16));
  }

  /**
   * The address of six bytes in network order.
   *
   * @throws IllegalArgumentException for any other length
   */
  public static MacAddress of(byte[] bytes) {
    if (bytes.length != 6) {
      throw new IllegalArgumentException("an Ethernet address has 6 bytes, not " + bytes.length);
    }
    long bits = 0;
    for (byte b : bytes) {
      bits = bits << 8 | (b & 0xff);
    }
    return new MacAddress(bits);
  }

  /** The six bytes in network order. */
  public byte[] toBytes() {
    byte[] bytes = new byte[6];
    for (int i = 0; i < 6; i++) {
      bytes[i] = (byte) (bits >>> (40 - 8 * i));
    }
    return bytes;
  }

  @Override
  public int compareTo(MacAddress other) {
    return Long.compare(bits, other.bits);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MacAddress && bits == ((MacAddress) other).bits;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(bits);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(17);
    for (byte b : toBytes()) {
      text.append(text.length() == 0 ? "" : ":").append(String.format("%02x", b));
    }
    return text.toString();
  }
}
