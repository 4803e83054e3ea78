// SPDX-License-Identifier: Apache-2.0
package org.sluice.overlay;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.onosproject.ui.topo.Highlights;
import org.onosproject.ui.topo.TopoJson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The browsers that have ONOS's page open on this node. Thread-safe. */
final class OpenViews {
  private static final Logger log = LoggerFactory.getLogger(OpenViews.class);

  private final Set<TopologyHandler> handlers = ConcurrentHashMap.newKeySet();

  void add(TopologyHandler handler) {
    handlers.add(handler);
  }

  void remove(TopologyHandler handler) {
    handlers.remove(handler);
  }

  boolean isEmpty() {
    return handlers.isEmpty();
  }

  /** To all of them; one that does not take it keeps it from none of the others. */
  void send(Highlights highlights) {
    for (TopologyHandler handler : handlers) {
      try {
        handler.send(TopoJson.highlightsMessage(highlights));
      } catch (RuntimeException e) {
        log.debug("A browser does not take highlights", e);
      }
    }
  }

  void close() {
    handlers.clear();
  }
}
