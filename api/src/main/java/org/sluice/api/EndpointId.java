// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Objects;

/** Names an endpoint: the host and the host's side of its virtual NIC, written {@code h1/vm0}. */
public final class EndpointId implements Comparable<EndpointId> {
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
      throw new IllegalArgumentException("'" + interfaceName + "' is no interface name");
    }
    return new EndpointId(host, interfaceName);
  }

  /** Whether Linux would accept this as an interface's name. */
  static boolean isInterfaceName(String text) {
    return !text.isEmpty()
        && text.length() <= 15
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
