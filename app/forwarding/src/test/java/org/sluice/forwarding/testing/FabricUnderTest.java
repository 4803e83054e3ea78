// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.List;

/** A network that a test makes, on a platform, and in which things fail. */
public interface FabricUnderTest extends StandingFabric {

  @Override
  TablesUnderTest tables();

  void disconnect(String name);

  /** The platform sees a host at a port. */
  void seen(String mac, String at, String... ips);

  /** An operator configures a port's capacity. */
  void setCapacity(String port, long bitsPerSecond);

  /** Another node of the cluster becomes the switch's master. */
  void loseMastership(String name);

  void gainMastership(String name);

  /** A packet arrives for which a rule says: to the controller. */
  void receive(String at, byte[] frame);

  /**
   * A packet arrives that a rule sends to the controller.
   *
   * @param priority of the one rule of such a priority on the switch
   */
  void receive(String at, byte[] frame, int priority);

  /** Frames that left by a port, in order. */
  List<byte[]> emittedAt(String port);

  boolean hasEmitted();

  /** What has been emitted is forgotten. */
  void clearEmitted();

  /** Whether switches are to send ARP, or somebody listens to packets. */
  boolean isListening();

  /** The platform's monotonic time. */
  long nanoTime();

  /** That much time passes, for what ages. */
  void later(long nanos);
}
