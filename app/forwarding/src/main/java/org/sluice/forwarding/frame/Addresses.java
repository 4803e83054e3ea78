// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.frame;

import org.sluice.api.IpAddress;

/** Kinds of IP addresses. */
public final class Addresses {
  private static final IpAddress BROADCAST = IpAddress.parse("255.255.255.255");
  private static final IpAddress LOOPBACK_6 = IpAddress.parse("::1");
  private static final IpAddress ANY_4 = IpAddress.parse("0.0.0.0");
  private static final IpAddress ANY_6 = IpAddress.parse("::");

  private Addresses() {}

  /** Whether an address is a single machine's and means the same machine on every link. */
  public static boolean isRoutable(IpAddress ip) {
    return !isAny(ip)
        && !isMulticast(ip)
        && !isLinkLocal(ip)
        && !isLoopback(ip)
        && !ip.equals(BROADCAST);
  }

  /** The unspecified address. */
  public static boolean isAny(IpAddress ip) {
    return ip.equals(ANY_4) || ip.equals(ANY_6);
  }

  public static boolean isMulticast(IpAddress ip) {
    int first = octet(ip, 0);
    return ip.isIpv4() ? first >> 4 == 0xe : first == 0xff;
  }

  /** 169.254.0.0/16, fe80::/10. */
  public static boolean isLinkLocal(IpAddress ip) {
    int first = octet(ip, 0);
    int second = octet(ip, 1);
    return ip.isIpv4() ? first == 169 && second == 254 : first == 0xfe && second >> 6 == 2;
  }

  private static boolean isLoopback(IpAddress ip) {
    return ip.isIpv4() ? octet(ip, 0) == 127 : ip.equals(LOOPBACK_6);
  }

  private static int octet(IpAddress ip, int number) {
    return ip.toBytes()[number] & 0xff;
  }
}
