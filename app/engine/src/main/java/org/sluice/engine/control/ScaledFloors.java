// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.List;
import java.util.Objects;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.engine.law.TwoTimeScaleLaw;

/**
 * A port under control where the floors of those who are active come to more than {@link
 * TwoTimeScaleLaw#FLOOR_SHARE} of it, so that nobody has all of what is guaranteed. Immutable.
 */
public final class ScaledFloors {
  private final PortId port;
  private final long floorsBitsPerSecond;
  private final long capacityBitsPerSecond;
  private final List<TenantId> tenants;

  /**
   * One such port.
   *
   * @param floorsBitsPerSecond what floors come to there, guarantees and promised deadlines
   * @param tenants whose floors these are, by id
   */
  public ScaledFloors(
      PortId port, long floorsBitsPerSecond, long capacityBitsPerSecond, List<TenantId> tenants) {
    this.port = Objects.requireNonNull(port, "port");
    this.floorsBitsPerSecond = floorsBitsPerSecond;
    this.capacityBitsPerSecond = capacityBitsPerSecond;
    this.tenants = List.copyOf(tenants);
  }

  public PortId port() {
    return port;
  }

  /** What floors come to there, guarantees and promised deadlines, bit/s. */
  public long floorsBitsPerSecond() {
    return floorsBitsPerSecond;
  }

  public long capacityBitsPerSecond() {
    return capacityBitsPerSecond;
  }

  /** Whose floors these are, by id. */
  public List<TenantId> tenants() {
    return tenants;
  }

  /** What part of its floor each has; above 0 and under 1. */
  public double scale() {
    return TwoTimeScaleLaw.FLOOR_SHARE * capacityBitsPerSecond / floorsBitsPerSecond;
  }
}
