// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayDeque;
import java.util.Deque;
import org.onosproject.event.EventListener;
import org.onosproject.event.ListenerService;

/** Whom of ONOS's services we listen to. */
final class Subscriptions {
  private final Deque<Runnable> ends = new ArrayDeque<>();

  <L extends EventListener<?>> void add(ListenerService<?, L> service, L listener) {
    service.addListener(listener);
    ends.push(() -> service.removeListener(listener));
  }

  /** Listens no longer. */
  void end() {
    while (!ends.isEmpty()) {
      ends.pop().run();
    }
  }
}
