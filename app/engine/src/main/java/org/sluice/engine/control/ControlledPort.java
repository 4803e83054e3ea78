// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.UnitShare;

/** What is known and was said about a port under control. */
public final class ControlledPort {
  public final int port;

  /** Engine time of the last marks, ns. */
  public long markedAt;

  /** Whether the start of its control was told. */
  public boolean announced;

  /** Whether any marks came over an estimated path. */
  public boolean estimated;

  /** u_p as computed last, bit/s; 0 before the first time and under the paper's law. */
  double unitShare;

  int computedActivityVersion = -1;
  int computedNicVersion = -1;
  int computedSharesVersion = -1;
  long computedAt;

  /** u_p and W as hosts know them. */
  public double publishedShare;

  double publishedWeight;
  long publishedCapacity;
  long publishedAt;
  int publishedMembershipVersion = -1;

  /** Whether some host's part is not as it was told. */
  boolean partsChanged;

  /** What each host was told; hosts are few per port, and the order is that of joining. */
  final List<HostPart> parts = new ArrayList<>();

  /** Whether some pair through it has a receiver that does not tell, and when to look again. */
  public boolean hasDeafPairs;

  public long deafUntil = Long.MIN_VALUE;

  /** The marked part that the last notices told. */
  public double noticedPart;

  /** Those to whom notices go. */
  final PortSources sources;

  public double journaledShare;
  public long journaledAt;
  public long noticesJournaledAt = Long.MIN_VALUE / 2;

  ControlledPort(int port) {
    this.port = port;
    this.sources = new PortSources(port);
  }

  /** One host's part of a port under control. */
  static final class HostPart {
    final int host;
    final HostId id;
    List<ControlledEndpoint> endpoints = List.of();

    /** The host's addresses that are reached through the port. */
    Set<IpAddress> reached = Set.of();

    /** What the host was told last; null when that has changed. */
    UnitShare message;

    HostPart(int host, HostId id) {
      this.host = host;
      this.id = id;
    }
  }
}
