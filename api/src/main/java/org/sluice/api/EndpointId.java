// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Objects;

/**
 * Names an endpoint: the host and the host's side of its virtual NIC, written {@code h1/vm0}; where
 * that is a trunk, with the VLAN: {@code h1/vm0.100}.
 */
public final class EndpointId implements Comparable<EndpointId> {
  private static final int MAX_NAME = 15 + 5;

  private final HostId host;
  private final String interfaceName;

  private EndpointId(HostId host, String interfaceName) {
    this.host = host;
    this.interfaceName = interfaceName;
  }

  /**
   * The endpoint behind an interface of a host.
   *
   * @throws IllegalArgumentException if the interface has no name or one with a slash or blank
   */
  public static EndpointId of(HostId host, String interfaceName) {
    Objects.requireNonNull(host, "host");
    if (!isInterfaceName(interfaceName)) {
      throw new IllegalArgumentException("'" + interfaceName + "' is not an interface name");
    }
    return new EndpointId(host, interfaceName);
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException if it is no host and interface with a slash between them
   */
  public static EndpointId parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an endpoint: expected a host and an interface, such as h1/vm0");
    }
    return of(HostId.of(text.substring(0, slash)), text.substring(slash + 1));
  }

  /** Whether Linux would accept this as an interface's name, or with a VLAN's number behind it. */
  static boolean isInterfaceName(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_NAME
        && text.chars().noneMatch(c -> c == '/' || Character.isWhitespace(c));
  }

  public HostId host() {
    return host;
  }

  /** The host's side of the virtual NIC. */
  public String interfaceName() {
    return interfaceName;
  }

  @Override
  public int compareTo(EndpointId other) {
    int byHost = host.compareTo(other.host);
    return byHost != 0 ? byHost : interfaceName.compareTo(other.interfaceName);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EndpointId
        && host.equals(((EndpointId) other).host)
        && interfaceName.equals(((EndpointId) other).interfaceName);
  }

  @Override
  public int hashCode() {
    return host.hashCode() * 31 + interfaceName.hashCode();
  }

  @Override
  public String toString() {
    return host + "/" + interfaceName;
  }
}
