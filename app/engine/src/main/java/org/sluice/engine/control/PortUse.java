// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.List;
import java.util.Objects;
import org.sluice.api.PortId;

/** A port under control that an endpoint sends through, and who else does. Immutable. */
public final class PortUse {
  private final PortId port;
  private final long dueBitsPerSecond;
  private final long dueByWeightBitsPerSecond;
  private final long dueOfTwiceTheWeightBitsPerSecond;
  private final List<PortUser> users;

  /** One port; see the accessors. */
  public PortUse(
      PortId port,
      long dueBitsPerSecond,
      long dueByWeightBitsPerSecond,
      long dueOfTwiceTheWeightBitsPerSecond,
      List<PortUser> users) {
    this.port = Objects.requireNonNull(port, "port");
    this.dueBitsPerSecond = dueBitsPerSecond;
    this.dueByWeightBitsPerSecond = dueByWeightBitsPerSecond;
    this.dueOfTwiceTheWeightBitsPerSecond = dueOfTwiceTheWeightBitsPerSecond;
    this.users = List.copyOf(users);
  }

  public PortId port() {
    return port;
  }

  /** What the endpoint is due there if its demand is at least that, bit/s; 0: by no shares. */
  public long dueBitsPerSecond() {
    return dueBitsPerSecond;
  }

  /**
   * The same without guarantees and promised deadlines of its own, which may give it more, bit/s;
   * 0: by no shares.
   */
  public long dueByWeightBitsPerSecond() {
    return dueByWeightBitsPerSecond;
  }

  /** The same as it is due if its tenant's weight were twice what it is, bit/s; 0: by no shares. */
  public long dueOfTwiceTheWeightBitsPerSecond() {
    return dueOfTwiceTheWeightBitsPerSecond;
  }

  /** All who send through the port now, the endpoint too; who gets most through first. */
  public List<PortUser> users() {
    return users;
  }
}
