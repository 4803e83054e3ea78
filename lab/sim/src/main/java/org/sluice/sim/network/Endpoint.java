// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import java.util.ArrayList;
import java.util.List;

/** A virtual machine's address, on a host that may be another one later. */
public final class Endpoint {
  private final int number;
  private final String name;

  /** Where it may ever live. */
  private final List<Host> hosts = new ArrayList<>();

  private Host host;

  Endpoint(int number, String name, Host host) {
    this.number = number;
    this.name = name;
    this.host = host;
    hosts.add(host);
  }

  /** Its index among the network's endpoints: what packets carry. */
  public int number() {
    return number;
  }

  /** As in the scenario. */
  public String name() {
    return name;
  }

  /** Where it lives. */
  public Host host() {
    return host;
  }

  /** Whether it lives on a host, or may later. */
  public boolean mayLiveOn(Host other) {
    return hosts.contains(other);
  }

  /** It may move to a host later; to be called before that has shims. */
  public void mayMoveTo(Host other) {
    hosts.add(other);
  }

  /**
   * Moves it, with its connections. What is on its way to the host that it leaves is lost there;
   * routes follow when they are computed anew.
   *
   * @throws IllegalArgumentException if it was not known that it may
   */
  public void moveTo(Host other) {
    if (!mayLiveOn(other)) {
      throw new IllegalArgumentException(name + " may not move to " + other.name());
    }
    host.left(this);
    host = other;
    host.arrived(this);
  }

  @Override
  public String toString() {
    return name;
  }
}
