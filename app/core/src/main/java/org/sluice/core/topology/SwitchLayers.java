// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.topology;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.SwitchLink;

/**
 * How many links each switch is away from the nearest one with an attachment: 0 are edge switches,
 * 1 and 2 the spines and cores of a Clos network.
 */
final class SwitchLayers {
  private final Map<String, Integer> layers = new HashMap<>();

  private SwitchLayers() {}

  static SwitchLayers of(List<SwitchLink> links, List<Attachment> attachments) {
    Map<String, Set<String>> neighbours = new HashMap<>();
    for (SwitchLink link : links) {
      String source = link.source().datapath();
      String target = link.target().datapath();
      neighbours.computeIfAbsent(source, s -> new HashSet<>()).add(target);
      neighbours.computeIfAbsent(target, s -> new HashSet<>()).add(source);
    }
    SwitchLayers found = new SwitchLayers();
    Deque<String> queue = new ArrayDeque<>();
    for (Attachment attachment : attachments) {
      found.add(attachment.port().datapath(), 0, queue);
    }
    while (!queue.isEmpty()) {
      String near = queue.poll();
      int next = found.layers.get(near) + 1;
      neighbours.getOrDefault(near, Set.of()).forEach(one -> found.add(one, next, queue));
    }
    return found;
  }

  private void add(String datapath, int layer, Deque<String> queue) {
    if (layers.putIfAbsent(datapath, layer) == null) {
      queue.add(datapath);
    }
  }

  /** Empty: no way leads to a switch with an attachment. */
  OptionalInt layer(String datapath) {
    Integer layer = layers.get(datapath);
    return layer == null ? OptionalInt.empty() : OptionalInt.of(layer);
  }
}
