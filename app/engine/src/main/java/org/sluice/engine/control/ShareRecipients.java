// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.control.ControlledPort.HostPart;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.EngineState;

/**
 * Who gets the unit shares of a port under control: hosts whose endpoints send through it, and
 * hosts whose endpoints are reached through it.
 */
final class ShareRecipients {
  private static final int FIRST = 64;

  private final EngineState state;
  private final PublishedEndpoints endpoints;
  private final IntList hosts = new IntList();

  // By host; null but while a port is being sorted.
  private List<ControlledEndpoint>[] senders = newLists(FIRST);
  private IntList[] crossings = new IntList[FIRST];
  private Set<IpAddress>[] reached = newSets(FIRST);

  ShareRecipients(EngineState state, PublishedEndpoints endpoints) {
    this.state = state;
    this.endpoints = endpoints;
  }

  /**
   * Sorts a port's crossings by host, where these are others than before. Parts that are not as
   * published lose their message.
   *
   * @param ended takes the parts of hosts that have nothing to do with the port any more
   */
  void regroup(ControlledPort control, Consumer<HostPart> ended) {
    int entriesVersion = state.ports.entriesVersion[control.port];
    if (control.publishedEntriesVersion == entriesVersion
        && control.publishedHoldersVersion == state.holdersVersion) {
      for (int i = 0; i < control.parts.size(); i++) {
        refresh(control.parts.get(i));
      }
      return;
    }
    control.publishedEntriesVersion = entriesVersion;
    control.publishedHoldersVersion = state.holdersVersion;
    control.pairs.update(state);
    gather(control.pairs);
    update(control, ended);
    for (int i = 0; i < hosts.size(); i++) {
      int host = hosts.get(i);
      if (senders[host] != null) {
        HostPart part = new HostPart(host, state.hosts.id[host]);
        take(part);
        control.parts.add(part);
      }
    }
  }

  /** Its endpoints and their destinations are the same; weights and floors may be others. */
  private void refresh(HostPart part) {
    boolean changed = false;
    for (int i = 0; i < part.crossings.size() && !changed; i++) {
      changed = endpoints.of(part.crossings.get(i)) != part.endpoints.get(i);
    }
    if (changed) {
      List<ControlledEndpoint> members = new ArrayList<>(part.crossings.size());
      for (int i = 0; i < part.crossings.size(); i++) {
        members.add(endpoints.of(part.crossings.get(i)));
      }
      part.endpoints = members;
      part.message = null;
    }
  }

  private void gather(PortPairs pairs) {
    hosts.clear();
    for (int i = 0; i < pairs.size(); i++) {
      int crossing = pairs.crossing(i);
      int host = state.endpoints.host[state.crossings.endpoint[crossing]];
      open(host);
      senders[host].add(endpoints.of(crossing));
      crossings[host].add(crossing);
      for (int e = pairs.firstEntry(i); e < pairs.firstEntry(i + 1); e++) {
        reach(pairs.destination(e));
      }
    }
  }

  private void reach(int address) {
    int endpoint = state.addresses.holder[address];
    if (endpoint != AddressTable.NONE) {
      int host = state.endpoints.host[endpoint];
      open(host);
      reached[host].add(state.addresses.ip[address]);
    }
  }

  private void open(int host) {
    if (senders.length <= host) {
      int size = Math.max(host + 1, 2 * senders.length);
      senders = Arrays.copyOf(senders, size);
      crossings = Arrays.copyOf(crossings, size);
      reached = Arrays.copyOf(reached, size);
    }
    if (senders[host] == null) {
      senders[host] = new ArrayList<>();
      crossings[host] = new IntList();
      reached[host] = new HashSet<>();
      hosts.add(host);
    }
  }

  /** Takes what was gathered for those hosts that have a part already. */
  private void update(ControlledPort control, Consumer<HostPart> ended) {
    for (Iterator<HostPart> all = control.parts.iterator(); all.hasNext(); ) {
      HostPart part = all.next();
      if (part.host >= senders.length || senders[part.host] == null) {
        ended.accept(part);
        all.remove();
      } else {
        take(part);
      }
    }
  }

  private void take(HostPart part) {
    List<ControlledEndpoint> members = senders[part.host];
    Set<IpAddress> addresses = reached[part.host];
    part.crossings = crossings[part.host];
    senders[part.host] = null;
    crossings[part.host] = null;
    reached[part.host] = null;
    if (!sameObjects(members, part.endpoints) || !addresses.equals(part.reached)) {
      part.endpoints = members;
      part.reached = addresses;
      part.message = null;
    }
  }

  private static boolean sameObjects(
      List<ControlledEndpoint> members, List<ControlledEndpoint> others) {
    if (members.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i) != others.get(i)) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("unchecked")
  private static List<ControlledEndpoint>[] newLists(int size) {
    return (List<ControlledEndpoint>[]) new List<?>[size];
  }

  @SuppressWarnings("unchecked")
  private static Set<IpAddress>[] newSets(int size) {
    return (Set<IpAddress>[]) new Set<?>[size];
  }
}
