// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;

/**
 * Refuses guarantees that cannot be kept. In the hose model (Duffield et al., "A Flexible Model for
 * Resource Management in Virtual Private Networks", SIGCOMM 1999) a customer's guarantee must fit,
 * with those of its neighbours, wherever it is attached: into the NICs of its hosts and into the
 * edge ports behind which they are:
 *
 * <pre>  sum over i behind it of G_i &lt;= 0.9 C     bit/s</pre>
 *
 * <p>The customer i is a tenant where its endpoints share what it is due: there it needs G_i once,
 * however many of them are behind the NIC or port. Elsewhere it is an endpoint.
 *
 * <p>A tenth of each stays free for those without a guarantee ({@link #GUARANTEED_SHARE}).
 */
public final class GuaranteeAdmission {
  /** How much of a NIC or edge port may be guaranteed. */
  public static final double GUARANTEED_SHARE = 0.9;

  private final boolean isShared;
  private final Map<HostId, Booking> nics = new HashMap<>();
  private final Map<PortId, Booking> edgePorts = new HashMap<>();
  private final Map<TenantId, Places> places = new HashMap<>();

  /**
   * Admission over these capacities; what is missing from the maps does not bound anything.
   *
   * @param isShared whether a guarantee is a tenant's as a whole; else it is each endpoint's
   * @param nicBitsPerSecond capacity of each host's NIC
   * @param edgePortBitsPerSecond capacity of each edge port
   * @param demands every known endpoint, of all tenants, with the guarantee that it, or its tenant,
   *     would have
   */
  public GuaranteeAdmission(
      boolean isShared,
      Map<HostId, Long> nicBitsPerSecond,
      Map<PortId, Long> edgePortBitsPerSecond,
      Collection<Demand> demands) {
    this.isShared = isShared;
    for (Demand demand : demands) {
      if (demand.guaranteeBitsPerSecond > 0) {
        HostId host = demand.endpoint.host();
        Places behind = places.computeIfAbsent(demand.tenant, tenant -> new Places());
        behind.nics.add(host);
        nics.computeIfAbsent(
                host, h -> new Booking("the NIC of host " + h, nicBitsPerSecond.get(h)))
            .add(demand);
        demand.edgePort.ifPresent(
            port -> {
              behind.edgePorts.add(port);
              edgePorts
                  .computeIfAbsent(
                      port, p -> new Booking("edge port " + p, edgePortBitsPerSecond.get(p)))
                  .add(demand);
            });
      }
    }
  }

  /**
   * Checks a tenant as it would be.
   *
   * @throws SluiceException of kind CONFLICT on {@code guaranteeBitsPerSecond}, naming the NIC or
   *     port that would be overbooked; only NICs and ports behind which the tenant has an endpoint
   *     with a guarantee count
   */
  public void check(TenantId tenant) throws SluiceException {
    Places behind = places.get(tenant);
    if (behind == null) {
      return;
    }
    for (HostId host : behind.nics) {
      nics.get(host).check(tenant);
    }
    for (PortId port : behind.edgePorts) {
      edgePorts.get(port).check(tenant);
    }
  }

  /** Behind what a tenant with a guarantee has endpoints. */
  private static final class Places {
    final Set<HostId> nics = new TreeSet<>();
    final Set<PortId> edgePorts = new TreeSet<>();
  }

  /** An endpoint and what it, or its tenant, would be guaranteed. */
  public static final class Demand {
    private final EndpointId endpoint;
    private final TenantId tenant;
    private final Optional<PortId> edgePort;
    private final long guaranteeBitsPerSecond;

    /**
     * A demand.
     *
     * @param edgePort the port behind which it is, once known
     * @param guaranteeBitsPerSecond 0 is none
     */
    public Demand(
        EndpointId endpoint,
        TenantId tenant,
        Optional<PortId> edgePort,
        long guaranteeBitsPerSecond) {
      this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
      this.tenant = Objects.requireNonNull(tenant, "tenant");
      this.edgePort = Objects.requireNonNull(edgePort, "edgePort");
      this.guaranteeBitsPerSecond = guaranteeBitsPerSecond;
    }
  }

  /** What a tenant would be guaranteed behind one NIC or port. */
  private static final class Part {
    long bitsPerSecond;
    int endpoints;
    long guaranteeBitsPerSecond;
  }

  /** What would be guaranteed behind one NIC or port. */
  private final class Booking {
    private final String where;

    /** Null: not known. */
    private final Long capacityBitsPerSecond;

    private final Map<TenantId, Part> parts = new HashMap<>();
    private long totalBitsPerSecond;

    Booking(String where, Long capacityBitsPerSecond) {
      this.where = where;
      this.capacityBitsPerSecond = capacityBitsPerSecond;
    }

    void add(Demand demand) {
      Part part = parts.computeIfAbsent(demand.tenant, tenant -> new Part());
      long more = part.endpoints == 0 || !isShared ? demand.guaranteeBitsPerSecond : 0;
      totalBitsPerSecond += more;
      part.bitsPerSecond += more;
      part.endpoints++;
      part.guaranteeBitsPerSecond = demand.guaranteeBitsPerSecond;
    }

    void check(TenantId tenant) throws SluiceException {
      if (capacityBitsPerSecond == null) {
        return;
      }
      long mostBitsPerSecond = (long) (capacityBitsPerSecond * GUARANTEED_SHARE);
      if (totalBitsPerSecond <= mostBitsPerSecond) {
        return;
      }
      Part own = parts.get(tenant);
      long left = Math.max(0, mostBitsPerSecond - (totalBitsPerSecond - own.bitsPerSecond));
      long each = isShared ? left : left / own.endpoints;
      throw SluiceException.conflict(
          "guaranteeBitsPerSecond",
          own.guaranteeBitsPerSecond,
          String.format(
              "The guarantees behind %s would add up to %s, more than 90 %% of its %s",
              where, MegabitRate.text(totalBitsPerSecond), MegabitRate.text(capacityBitsPerSecond)),
          String.format(
              "Guarantee at most %s%s: the tenant has %d endpoint%s there. Or move %s",
              MegabitRate.inBoth(each),
              isShared ? "" : " to each endpoint",
              own.endpoints,
              own.endpoints == 1 ? "" : "s",
              isShared && own.endpoints > 1 ? "all of them" : "endpoints"));
    }
  }
}
