// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

/** One end of a flow as it is typed: 10.0.0.1, 10.0.0.1:5001, 2001:db8::1 or [2001:db8::1]:5001. */
final class FlowEnd {
  private final IpAddress address;
  private final int port;

  private FlowEnd(IpAddress address, int port) {
    this.address = address;
    this.port = port;
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException for any other form
   */
  static FlowEnd parse(String text) {
    int colon = text.lastIndexOf(':');
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0 || end + 1 != colon) {
        throw new IllegalArgumentException("This is no address with a port");
      }
      return new FlowEnd(IpAddress.parse(text.substring(1, end)), port(text.substring(colon + 1)));
    }
    if (colon < 0 || colon != text.indexOf(':')) {
      return new FlowEnd(IpAddress.parse(text), FlowKey.ANY_PORT);
    }
    return new FlowEnd(IpAddress.parse(text.substring(0, colon)), port(text.substring(colon + 1)));
  }

  private static int port(String text) {
    int port = Integer.parseInt(text);
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("A port lies between 1 and 65535");
    }
    return port;
  }

  IpAddress address() {
    return address;
  }

  /** {@link FlowKey#ANY_PORT} if none was given. */
  int port() {
    return port;
  }

  /** As it is typed. */
  static String text(IpAddress address, int port) {
    if (port == FlowKey.ANY_PORT) {
      return address.toString();
    }
    return address.isIpv4() ? address + ":" + port : "[" + address + "]:" + port;
  }
}
