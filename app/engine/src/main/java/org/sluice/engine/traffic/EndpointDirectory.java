// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

import java.util.Optional;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * Who is who. An address belongs to the endpoint that claimed it first, until that endpoint gives
 * it up; then to another that claims it, if any.
 */
public final class EndpointDirectory {
  private final EngineState world;
  private final PairLifecycle traffic;
  private final RefusalSink refusals;

  public EndpointDirectory(EngineState world, PairLifecycle traffic, RefusalSink refusals) {
    this.world = world;
    this.traffic = traffic;
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
    int row = world.hosts.findOrAdd(host);
    if (world.hosts.nicBitsPerSecond[row] != uplinkCapacityBitsPerSecond) {
      world.hosts.nicBitsPerSecond[row] = uplinkCapacityBitsPerSecond;
      world.nicVersion++;
    }
  }

  public void putEndpoint(EndpointPolicy policy, Set<IpAddress> ips) {
    if (!(policy.weight() > 0)) {
      throw new IllegalArgumentException(
          "endpoint " + policy.endpoint() + " needs a weight above 0, not " + policy.weight());
    }
    EndpointTable endpoints = world.endpoints;
    int row = endpoints.find(policy.endpoint());
    if (row < 0) {
      row = endpoints.add(policy.endpoint(), world.hosts.findOrAdd(policy.endpoint().host()));
      endpoints.setPolicy(row, policy);
    } else if (!endpoints.hasPolicy(row, policy)) {
      int changed = row;
      traffic.reweigh(row, () -> endpoints.setPolicy(changed, policy));
    }
    if (!endpoints.claims.get(row).equals(ips)) {
      setClaims(row, Set.copyOf(ips));
    }
  }

  private void setClaims(int endpoint, Set<IpAddress> ips) {
    Set<IpAddress> before = world.endpoints.claims.put(endpoint, ips);
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
    int row = world.addresses.retain(ip);
    int holder = world.addresses.holder[row];
    if (holder == AddressTable.NOBODY) {
      world.addresses.holder[row] = endpoint;
      return;
    }
    world.addresses.release(row);
    world.counters.increment(Figure.CLAIMS_REFUSED);
    refusals.claimRefused(world.endpoints.id[endpoint], world.endpoints.id[holder], ip);
  }

  private void giveUp(int endpoint, IpAddress ip) {
    int row = world.addresses.find(ip);
    if (row < 0 || world.addresses.holder[row] != endpoint) {
      return;
    }
    // Pairs name their source by address: those of this one must not be taken for another's.
    traffic.removeAllOf(endpoint);
    world.addresses.holder[row] = AddressTable.NOBODY;
    world.addresses.release(row);
    world.endpoints.claims.entrySet().stream()
        .filter(other -> other.getKey() != endpoint && other.getValue().contains(ip))
        .map(other -> world.endpoints.id[other.getKey()])
        .min(EndpointId::compareTo)
        .ifPresent(next -> claim(world.endpoints.find(next), ip));
  }

  public void removeEndpoint(EndpointId endpoint) {
    int row = world.endpoints.find(endpoint);
    if (row >= 0) {
      traffic.removeAllOf(row);
      setClaims(row, Set.of());
      world.endpoints.remove(row);
    }
  }

  public Optional<EndpointId> holderOf(IpAddress ip) {
    int row = world.addresses.find(ip);
    int holder = row < 0 ? AddressTable.NOBODY : world.addresses.holder[row];
    return holder == AddressTable.NOBODY
        ? Optional.empty()
        : Optional.of(world.endpoints.id[holder]);
  }
}
