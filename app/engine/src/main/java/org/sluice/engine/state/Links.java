// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.engine.collections.IntList;

/**
 * Which switch ports are wired to which. A port that leads to another switch has a peer, the port
 * by which its packets enter there: an <i>entrance</i>, whose <i>feeder</i> it is. A port without a
 * peer leads to hosts.
 */
public final class Links {
  public static final int NONE = -1;

  private final PortTable ports;
  private final Map<String, Integer> switches = new HashMap<>();
  private final List<IntList> entrances = new ArrayList<>();
  private int[] peer = {};
  private int[] feeder = {};
  private int[] switchOf = {};
  private int followed;
  private int version;

  Links(PortTable ports) {
    this.ports = ports;
  }

  /** Replaces what is known: ports to the ports at the other ends of their links. */
  public void set(Map<PortId, PortId> peers) {
    version++;
    Arrays.fill(peer, NONE);
    Arrays.fill(feeder, NONE);
    entrances.forEach(IntList::clear);
    peers.forEach(
        (from, to) -> {
          int out = ports.findOrAdd(from);
          int in = ports.findOrAdd(to);
          follow();
          ports.inUse.add(out);
          if (feeder[in] == NONE) {
            peer[out] = in;
            feeder[in] = out;
            entrances.get(switchOf(in)).add(in);
          }
        });
  }

  /** Makes space for the ports that there are now. */
  public void follow() {
    int before = peer.length;
    if (before < ports.size()) {
      peer = Arrays.copyOf(peer, ports.id.length);
      feeder = Arrays.copyOf(feeder, peer.length);
      switchOf = Arrays.copyOf(switchOf, peer.length);
      Arrays.fill(peer, before, peer.length, NONE);
      Arrays.fill(feeder, before, peer.length, NONE);
    }
    for (; followed < ports.size(); followed++) {
      takeIn(followed);
    }
  }

  private void takeIn(int port) {
    String name = ports.id[port].datapath();
    Integer known = switches.get(name);
    if (known == null) {
      known = switches.size();
      switches.put(name, known);
      entrances.add(new IntList());
    }
    switchOf[port] = known;
    version++;
  }

  /** Grows when ports come or links change. */
  public int version() {
    return version;
  }

  /** The entrance that a port leads to, or {@link #NONE}. */
  public int peer(int port) {
    return peer[port];
  }

  /** The port that feeds an entrance, or {@link #NONE}. */
  public int feeder(int entrance) {
    return feeder[entrance];
  }

  /** Number of a port's switch, from 0 on. */
  public int switchOf(int port) {
    return switchOf[port];
  }

  public int switchCount() {
    return switches.size();
  }

  /** The ports of a switch by which packets enter from other switches. */
  public IntList entrances(int switchNumber) {
    return entrances.get(switchNumber);
  }
}
