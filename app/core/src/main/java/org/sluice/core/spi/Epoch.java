// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts changes and notifies listeners of each. Thread-safe. */
public final class Epoch {
  private static final Logger log = LoggerFactory.getLogger(Epoch.class);

  private final AtomicLong value = new AtomicLong();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  public long get() {
    return value.get();
  }

  /** Something changed. */
  public void advance() {
    value.incrementAndGet();
    for (Runnable listener : listeners) {
      try {
        listener.run();
      } catch (RuntimeException e) {
        log.error("A listener could not handle a change", e);
      }
    }
  }

  /** Registers a listener; it is called on the thread that saw the change and must not block. */
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  public void removeListener(Runnable listener) {
    listeners.remove(listener);
  }
}
