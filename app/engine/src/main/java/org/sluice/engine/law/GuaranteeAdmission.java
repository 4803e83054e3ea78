// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
  private final Map<HostId, Long> nicBitsPerSecond;
  private final Map<PortId, Long> edgePortBitsPerSecond;

  /**
   * Admission over these capacities; what is missing from the maps does not bound anything.
   *
   * @param isShared whether a guarantee is a tenant's as a whole; else it is each endpoint's
   * @param nicBitsPerSecond capacity of each host's NIC
   * @param edgePortBitsPerSecond capacity of each edge port
   */
  public GuaranteeAdmission(
      boolean isShared,
      Map<HostId, Long> nicBitsPerSecond,
      Map<PortId, Long> edgePortBitsPerSecond) {
    this.isShared = isShared;
    this.nicBitsPerSecond = Map.copyOf(nicBitsPerSecond);
    this.edgePortBitsPerSecond = Map.copyOf(edgePortBitsPerSecond);
  }

  /**
   * Checks a tenant as it would be.
   *
   * @param tenant the tenant to be set
   * @param demands every known endpoint, of all tenants, with the guarantee that it, or its tenant,
   *     would have
   * @throws SluiceException of kind CONFLICT on {@code guaranteeBitsPerSecond}, naming the NIC or
   *     port that would be overbooked; only NICs and ports behind which the tenant has an endpoint
   *     with a guarantee count
   */
  public void check(TenantId tenant, Collection<Demand> demands) throws SluiceException {
    Map<HostId, Booking> nics = new TreeMap<>();
    Map<PortId, Booking> ports = new TreeMap<>();
    for (Demand demand : demands) {
      if (demand.guaranteeBitsPerSecond > 0) {
        boolean own = demand.tenant.equals(tenant);
        nics.computeIfAbsent(demand.endpoint.host(), h -> new Booking(isShared)).add(demand, own);
        demand.edgePort.ifPresent(
            port -> ports.computeIfAbsent(port, p -> new Booking(isShared)).add(demand, own));
      }
    }
    for (Map.Entry<HostId, Booking> nic : nics.entrySet()) {
      nic.getValue().check(nicBitsPerSecond.get(nic.getKey()), "the NIC of host " + nic.getKey());
    }
    for (Map.Entry<PortId, Booking> port : ports.entrySet()) {
      port.getValue().check(edgePortBitsPerSecond.get(port.getKey()), "edge port " + port.getKey());
    }
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

  /** What would be guaranteed behind one NIC or port. */
  private static final class Booking {
    private final boolean isShared;
    private final Set<TenantId> tenants = new HashSet<>();
    private long totalBitsPerSecond;
    private long ownBitsPerSecond;
    private int ownEndpoints;
    private long ownGuaranteeBitsPerSecond;

    Booking(boolean isShared) {
      this.isShared = isShared;
    }

    void add(Demand demand, boolean own) {
      boolean counts = tenants.add(demand.tenant) || !isShared;
      totalBitsPerSecond += counts ? demand.guaranteeBitsPerSecond : 0;
      if (own) {
        ownBitsPerSecond += counts ? demand.guaranteeBitsPerSecond : 0;
        ownEndpoints++;
        ownGuaranteeBitsPerSecond = demand.guaranteeBitsPerSecond;
      }
    }

    void check(Long capacityBitsPerSecond, String where) throws SluiceException {
      if (ownEndpoints == 0 || capacityBitsPerSecond == null) {
        return;
      }
      long mostBitsPerSecond = (long) (capacityBitsPerSecond * GUARANTEED_SHARE);
      if (totalBitsPerSecond <= mostBitsPerSecond) {
        return;
      }
      long left = Math.max(0, mostBitsPerSecond - (totalBitsPerSecond - ownBitsPerSecond));
      long each = isShared ? left : left / ownEndpoints;
      throw SluiceException.conflict(
          "guaranteeBitsPerSecond",
          ownGuaranteeBitsPerSecond,
          String.format(
              "The guarantees behind %s would add up to %s, more than 90 %% of its %s",
              where, MegabitRate.text(totalBitsPerSecond), MegabitRate.text(capacityBitsPerSecond)),
          String.format(
              "Guarantee at most %s%s (the tenant has %d endpoint%s there), or move %s",
              MegabitRate.text(each),
              isShared ? "" : " to each endpoint",
              ownEndpoints,
              ownEndpoints == 1 ? "" : "s",
              isShared && ownEndpoints > 1 ? "all of them" : "endpoints"));
    }
  }
}
