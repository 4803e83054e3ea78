// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** A range of IP addresses, written {@code 10.1.0.0/16}. */
public final class IpPrefix {
  private final IpAddress address;
  private final int length;

  private IpPrefix(IpAddress address, int length) {
    this.address = address;
    this.length = length;
  }

  /**
   * Reads {@code 10.1.0.0/16}, or a single address.
   *
   * @throws IllegalArgumentException for any other form, or if bits behind the length are set
   */
  public static IpPrefix parse(String text) {
    int slash = text.indexOf('/');
    IpAddress address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
    int most = address.isIpv4() ? 32 : 128;
    int length = most;
    if (slash >= 0) {
      try {
        length = Integer.parseInt(text.substring(slash + 1));
      } catch (NumberFormatException e) {
        length = -1;
      }
    }
    if (length < 0 || length > most) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an IP prefix: its length must be a number from 0 to " + most);
    }
    if (!address.masked(length).equals(address)) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' has bits set behind its length: did you mean "
              + address.masked(length)
              + "/"
              + length
              + "?");
    }
    return new IpPrefix(address, length);
  }

  /**
   * The addresses that share their first bits with one.
   *
   * @param length bits, 0 to those of the address; what the address has behind them is left out
   * @throws IllegalArgumentException for any other length
   */
  public static IpPrefix of(IpAddress address, int length) {
    int most = address.isIpv4() ? 32 : 128;
    if (length < 0 || length > most) {
      throw new IllegalArgumentException(
          "a prefix of " + address + " has 0 to " + most + " bits, not " + length);
    }
    return new IpPrefix(address.masked(length), length);
  }

  /** The first of its addresses. */
  public IpAddress address() {
    return address;
  }

  /** How many leading bits are fixed. */
  public int length() {
    return length;
  }

  public boolean contains(IpAddress other) {
    return address.sharesPrefix(other, length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IpPrefix
        && length == ((IpPrefix) other).length
        && address.equals(((IpPrefix) other).address);
  }

  @Override
  public int hashCode() {
    return address.hashCode() * 31 + length;
  }

  @Override
  public String toString() {
    return address + "/" + length;
  }
}
