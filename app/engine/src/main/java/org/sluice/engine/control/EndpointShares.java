// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sluice.api.EndpointId;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.state.PathTable;

/**
 * Looks up what single endpoints are due, for those whose hosts cannot be reached. Receivers' hosts
 * report what arrives, so that it follows also when the endpoint's own agent is away.
 */
public final class EndpointShares {
  private final EngineState state;
  private final ControlledPorts control;
  private final SharePublisher shares;

  /** The crossings of the endpoint that is evaluated. */
  private final IntList crossings = new IntList();

  public EndpointShares(EngineState state, ControlledPorts control, SharePublisher shares) {
    this.state = state;
    this.control = control;
    this.shares = shares;
  }

  /**
   * What holds for an endpoint that is known, by its row.
   *
   * @param byShares whether ports under control have unit shares now
   */
  public EndpointShare of(int endpoint, boolean byShares, long now) {
    int least = -1;
    double leastShare = Double.POSITIVE_INFINITY;
    if (byShares) {
      gather(endpoint);
      for (int i = 0; i < crossings.size(); i++) {
        int crossing = crossings.get(i);
        double share =
            shares.dueOf(control.find(state.crossings.port[crossing]), crossing, now).bitsPerSecond;
        if (share > 0 && share < leastShare) {
          least = crossing;
          leastShare = share;
        }
      }
    }
    long held = state.heldBitsPerSecond(endpoint);
    return least < 0
        ? new EndpointShare(
            held,
            Optional.empty(),
            EndpointShare.UNBOUNDED,
            state.endpoints.deliveredBitsPerSecond[endpoint])
        : new EndpointShare(
            held,
            Optional.of(state.ports.id[state.crossings.port[least]]),
            Math.max(1, Math.round(leastShare)),
            sent(least, false));
  }

  /**
   * The ports under control through which an endpoint sends, by its row, and who else does.
   *
   * @param byShares whether ports under control have unit shares now
   */
  public List<PortUse> uses(int endpoint, boolean byShares, long now) {
    gather(endpoint);
    List<PortUse> uses = new ArrayList<>();
    for (int i = 0; i < crossings.size(); i++) {
      int crossing = crossings.get(i);
      ControlledPort port = control.find(state.crossings.port[crossing]);
      Due due = byShares ? shares.dueOf(port, crossing, now) : Due.NOTHING;
      Due doubled = byShares ? shares.dueOf(port, crossing, 2, now) : Due.NOTHING;
      uses.add(
          new PortUse(
              state.ports.id[port.port],
              Math.round(due.bitsPerSecond),
              Math.round(due.byWeightBitsPerSecond),
              Math.round(doubled.bitsPerSecond),
              users(port.port)));
    }
    uses.sort(Comparator.comparing(PortUse::port));
    return uses;
  }

  /**
   * Endpoints that use up what they may send through some port under control, or all that their
   * NICs and ceilings let out; by row.
   */
  public BitSet heldBack() {
    BitSet found = new BitSet(state.endpoints.limit());
    List<ControlledPort> ports = control.all();
    CrossingTable all = state.crossings;
    for (int i = 0; i < ports.size(); i++) {
      int c = state.ports.firstCrossing[ports.get(i).port];
      for (; c >= 0; c = all.nextOfPort[c]) {
        double part = all.partBitsPerSecond(c);
        if (part > 0 && taken(c) >= EndpointShare.USED_UP * part) {
          found.set(all.endpoint[c]);
        }
      }
    }
    for (int row = 0; row < state.endpoints.limit(); row++) {
      if (state.endpoints.id[row] != null && usesUpAll(row)) {
        found.set(row);
      }
    }
    return found;
  }

  /** Whether such an endpoint sends through a port, by its row, now. */
  public boolean isUsed(int port, Predicate<EndpointId> by) {
    CrossingTable all = state.crossings;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = all.nextOfPort[c]) {
      if (isActive(c) && by.test(state.endpoints.id[all.endpoint[c]])) {
        return true;
      }
    }
    return false;
  }

  /** What such endpoints send through a port, by its row, as far as they may, bit/s. */
  public long passingBitsPerSecond(int port, Predicate<EndpointId> by) {
    CrossingTable all = state.crossings;
    double sum = 0;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = all.nextOfPort[c]) {
      if (by.test(state.endpoints.id[all.endpoint[c]])) {
        sum += passing(c);
      }
    }
    return Math.round(sum);
  }

  private double passing(int crossing) {
    CrossingTable all = state.crossings;
    double sum = 0;
    for (int e = all.firstEntry[crossing]; e >= 0; e = all.nextOfCrossing[e]) {
      int pair = all.entryPair[e];
      if (state.pairs.isActive(pair)) {
        double least = state.pairs.rateBitsPerSecond(pair);
        for (int at = state.pairs.firstEntry[pair]; at >= 0; at = all.nextOfPair[at]) {
          double part = all.partBitsPerSecond(all.entryCrossing[at]);
          least = part > 0 ? Math.min(least, part) : least;
        }
        sum += least * all.entryFraction16[e] / PathTable.WHOLE;
      }
    }
    return sum;
  }

  /** What receivers' hosts report to arrive of what an endpoint sends, by its row, bit/s. */
  public long arrivingBitsPerSecond(int endpoint) {
    long sum = 0;
    int pair = state.endpoints.firstPair[endpoint];
    for (; pair >= 0; pair = state.pairs.nextOfEndpoint[pair]) {
      if (state.pairs.isActive(pair)
          && state.pairs.seenBitsPerSecond(pair, PairTable.RECEIVER) > 0) {
        sum += state.pairs.rateBitsPerSecond(pair);
      }
    }
    return sum;
  }

  private boolean usesUpAll(int endpoint) {
    long held = state.heldBitsPerSecond(endpoint);
    return held < EndpointShare.UNBOUNDED
        && state.endpoints.deliveredBitsPerSecond[endpoint] >= EndpointShare.USED_UP * held;
  }

  private List<PortUser> users(int port) {
    CrossingTable all = state.crossings;
    List<PortUser> users = new ArrayList<>();
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = all.nextOfPort[c]) {
      if (isActive(c)) {
        users.add(
            new PortUser(
                state.endpoints.id[all.endpoint[c]],
                Math.round(all.partBitsPerSecond(c)),
                measured(c)));
      }
    }
    users.sort(
        Comparator.comparingLong(PortUser::takenBitsPerSecond)
            .reversed()
            .thenComparing(PortUser::endpoint));
    return users;
  }

  /** Of what its endpoint got through in the last second, the part that takes this way now. */
  private long measured(int crossing) {
    int endpoint = state.crossings.endpoint[crossing];
    long all = state.endpoints.deliveredBitsPerSecond[endpoint];
    long measured = state.passed.ofEndpoints.bitsPerSecond(endpoint);
    return all == 0 ? 0 : Math.round((double) measured * taken(crossing) / all);
  }

  private boolean isActive(int crossing) {
    CrossingTable all = state.crossings;
    for (int e = all.firstEntry[crossing]; e >= 0; e = all.nextOfCrossing[e]) {
      if (state.pairs.isActive(all.entryPair[e])) {
        return true;
      }
    }
    return false;
  }

  /** Its crossings of ports under control, each once. */
  private void gather(int endpoint) {
    crossings.clear();
    int pair = state.endpoints.firstPair[endpoint];
    for (; pair >= 0; pair = state.pairs.nextOfEndpoint[pair]) {
      int entry = state.pairs.firstEntry[pair];
      for (; entry >= 0; entry = state.crossings.nextOfPair[entry]) {
        int crossing = state.crossings.entryCrossing[entry];
        if (control.find(state.crossings.port[crossing]) != null && !isGathered(crossing)) {
          crossings.add(crossing);
        }
      }
    }
  }

  private boolean isGathered(int crossing) {
    for (int i = 0; i < crossings.size(); i++) {
      if (crossings.get(i) == crossing) {
        return true;
      }
    }
    return false;
  }

  private long taken(int crossing) {
    return sent(crossing, true);
  }

  /** What its pairs through a port send; there alone, where that may be a part of it. */
  private long sent(int crossing, boolean there) {
    CrossingTable all = state.crossings;
    double sum = 0;
    for (int e = all.firstEntry[crossing]; e >= 0; e = all.nextOfCrossing[e]) {
      int pair = all.entryPair[e];
      if (state.pairs.isActive(pair)) {
        double part = there ? all.entryFraction16[e] / (double) PathTable.WHOLE : 1;
        sum += state.pairs.rateBitsPerSecond(pair) * part;
      }
    }
    return Math.round(sum);
  }
}
