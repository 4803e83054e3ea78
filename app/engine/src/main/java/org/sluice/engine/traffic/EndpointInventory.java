// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * Who is who. An address belongs to the endpoint that claimed it first, until that endpoint gives
 * it up; then to another that claims it, if any.
 */
public final class EndpointInventory {
  private final EngineState state;
  private final PairLifecycle lifecycle;
  private final RefusalSink refusals;

  /** By address: who claims it beside its holder. */
  private final Map<IpAddress, TreeSet<EndpointId>> waiting = new HashMap<>();

  public EndpointInventory(EngineState state, PairLifecycle lifecycle, RefusalSink refusals) {
    this.state = state;
    this.lifecycle = lifecycle;
    this.refusals = refusals;
  }

  public void putHost(HostId host, long uplinkCapacityBitsPerSecond) {
    if (uplinkCapacityBitsPerSecond <= 0) {
      throw new IllegalArgumentException(
          "the NIC of host "
              + host
              + " needs a capacity above 0 bit/s, not "
              + uplinkCapacityBitsPerSecond);
    }
    int row = state.hosts.findOrAdd(host);
    if (state.hosts.nicBitsPerSecond[row] != uplinkCapacityBitsPerSecond) {
      state.hosts.nicBitsPerSecond[row] = uplinkCapacityBitsPerSecond;
      state.nicVersion++;
    }
  }

  public void putEndpoint(EndpointProfile profile, Set<IpAddress> ips) {
    if (!(profile.weight() > 0)) {
      throw new IllegalArgumentException(
          "endpoint " + profile.endpoint() + " needs a weight above 0, not " + profile.weight());
    }
    EndpointTable endpoints = state.endpoints;
    int row = endpoints.find(profile.endpoint());
    if (row < 0) {
      row = endpoints.add(profile.endpoint(), state.hosts.findOrAdd(profile.endpoint().host()));
      endpoints.setProfile(row, profile);
    } else if (!endpoints.hasProfile(row, profile)) {
      int changed = row;
      lifecycle.reweigh(row, () -> endpoints.setProfile(changed, profile));
    }
    if (!endpoints.claims.get(row).equals(ips)) {
      setClaims(row, Set.copyOf(ips));
      lifecycle.refreshPathsOf(row);
    }
  }

  /** Has a tenant's endpoints share what it is due. */
  public void shareTenant(Tenant tenant) {
    int row = state.tenants.findOrAdd(tenant.id());
    if (state.tenants.shares(
        row, tenant.weight(), tenant.guaranteeBitsPerSecond(), tenant.ceilingBitsPerSecond())) {
      return;
    }
    state.tenants.share(
        row, tenant.weight(), tenant.guaranteeBitsPerSecond(), tenant.ceilingBitsPerSecond());
    state.endpoints.forEachOf(row, endpoint -> lifecycle.reweigh(endpoint, () -> {}));
  }

  /** Has each of a tenant's endpoints be due something by itself, as its profile says. */
  public void divideTenant(TenantId tenant) {
    int row = state.tenants.find(tenant);
    if (row >= 0 && state.tenants.isShared[row]) {
      state.tenants.divide(row);
      state.endpoints.forEachOf(row, endpoint -> lifecycle.reweigh(endpoint, () -> {}));
    }
  }

  private void setClaims(int endpoint, Set<IpAddress> ips) {
    Set<IpAddress> before = state.endpoints.claims.put(endpoint, ips);
    for (IpAddress ip : before) {
      if (!ips.contains(ip)) {
        giveUp(endpoint, ip);
      }
    }
    for (IpAddress ip : ips) {
      if (!before.contains(ip)) {
        claim(endpoint, ip);
      }
    }
  }

  private void claim(int endpoint, IpAddress ip) {
    int row = state.addresses.retain(ip);
    int holder = state.addresses.holder[row];
    if (holder == AddressTable.NONE) {
      state.addresses.holder[row] = endpoint;
      state.holdersVersion++;
      return;
    }
    state.addresses.release(row);
    waiting.computeIfAbsent(ip, i -> new TreeSet<>()).add(state.endpoints.id[endpoint]);
    state.counters.increment(Figure.CLAIMS_REFUSED);
    refusals.claimRefused(state.endpoints.id[endpoint], state.endpoints.id[holder], ip);
  }

  private void giveUp(int endpoint, IpAddress ip) {
    int row = state.addresses.find(ip);
    if (row < 0 || state.addresses.holder[row] != endpoint) {
      waitNoLonger(state.endpoints.id[endpoint], ip);
      return;
    }
    // Pairs name their source by address: those of this one must not be taken for another's.
    lifecycle.removeAllOf(endpoint);
    state.addresses.holder[row] = AddressTable.NONE;
    state.holdersVersion++;
    state.addresses.release(row);
    TreeSet<EndpointId> others = waiting.get(ip);
    if (others != null) {
      EndpointId next = others.first();
      waitNoLonger(next, ip);
      claim(state.endpoints.find(next), ip);
    }
  }

  private void waitNoLonger(EndpointId endpoint, IpAddress ip) {
    TreeSet<EndpointId> claimants = waiting.get(ip);
    if (claimants != null && claimants.remove(endpoint) && claimants.isEmpty()) {
      waiting.remove(ip);
    }
  }

  public void removeEndpoint(EndpointId endpoint) {
    int row = state.endpoints.find(endpoint);
    if (row >= 0) {
      lifecycle.removeAllOf(row);
      setClaims(row, Set.of());
      state.endpoints.remove(row);
    }
  }

  public Optional<EndpointId> holderOf(IpAddress ip) {
    int row = state.addresses.find(ip);
    int holder = row < 0 ? AddressTable.NONE : state.addresses.holder[row];
    return holder == AddressTable.NONE ? Optional.empty() : Optional.of(state.endpoints.id[holder]);
  }
}
