// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

/**
 * A network that a test makes, on a platform, in which nothing fails. Switches are named s1, s2,
 * ..., their ports s1/5.
 */
public interface StandingFabric {

  /** What the switches hold. */
  StandingTables tables();

  /** A switch with these ports, besides those that it had, comes, or comes back as it was. */
  void connect(String name, long... ports);

  /** A link in both directions is discovered. */
  void link(String a, String b);

  /** Lets time pass until an assertion holds; throws what it throws last otherwise. */
  void until(Runnable assertion);

  void close();
}
