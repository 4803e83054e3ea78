// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.path;

import java.util.List;
import java.util.Objects;
import org.sluice.api.PortId;

/** The egress ports that a pair's traffic crosses, most upstream first. Immutable. */
public final class Path {
  private final List<Hop> hops;
  private final boolean estimated;
  private final int hash;

  private Path(List<Hop> hops, boolean estimated) {
    this.hops = List.copyOf(hops);
    this.estimated = estimated;
    this.hash = this.hops.hashCode() * 2 + (estimated ? 1 : 0);
  }

  /**
   * A path.
   *
   * @param hops egress ports in the order in which packets cross them; where a switch spreads over
   *     several, these stand side by side, each with its fraction; each port once
   * @param estimated true if the path was derived from the topology and not from Sluice's own
   *     forwarding rules
   * @throws IllegalArgumentException if a port is named twice
   */
  public static Path of(List<Hop> hops, boolean estimated) {
    if (hops.stream().map(Hop::port).distinct().count() != hops.size()) {
      throw new IllegalArgumentException("a path names each port once: " + hops);
    }
    return new Path(hops, estimated);
  }

  public List<Hop> hops() {
    return hops;
  }

  public boolean estimated() {
    return estimated;
  }

  @Override
  public boolean equals(Object other) {
    if (this == other) {
      return true;
    }
    return other instanceof Path
        && hash == ((Path) other).hash
        && estimated == ((Path) other).estimated
        && hops.equals(((Path) other).hops);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return hops + (estimated ? " (estimated)" : "");
  }

  /** A port that carries a fraction of a pair's traffic. */
  public static final class Hop {
    private final PortId port;
    private final double fraction;

    private Hop(PortId port, double fraction) {
      this.port = port;
      this.fraction = fraction;
    }

    /**
     * A hop.
     *
     * @param fraction of the pair's traffic, above 0 and at most 1; below 1 behind an ECMP group
     * @throws IllegalArgumentException if the fraction is out of range
     */
    public static Hop of(PortId port, double fraction) {
      Objects.requireNonNull(port, "port");
      if (!(fraction > 0 && fraction <= 1)) {
        throw new IllegalArgumentException(
            "a hop carries a fraction above 0 and at most 1, not " + fraction);
      }
      return new Hop(port, fraction);
    }

    /** A hop that carries all of the pair's traffic. */
    public static Hop of(PortId port) {
      return of(port, 1);
    }

    public PortId port() {
      return port;
    }

    public double fraction() {
      return fraction;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Hop
          && port.equals(((Hop) other).port)
          && fraction == ((Hop) other).fraction;
    }

    @Override
    public int hashCode() {
      return port.hashCode() * 31 + Double.hashCode(fraction);
    }

    @Override
    public String toString() {
      return fraction == 1 ? port.toString() : port + " x " + fraction;
    }
  }
}
