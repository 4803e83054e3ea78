// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Watches whether the cluster's store answers. A cluster forgets a node that was away for long, or
 * stood still, and with it what that was to be notified of: then everything is read anew.
 */
public final class StoreWatch {
  private static final Logger log = LoggerFactory.getLogger(StoreWatch.class);
  private static final String STORE = "sluice-watch";
  private static final String NOTHING = "nothing";
  private static final long PERIOD_SECONDS = 2;
  private static final long FORGOTTEN_NANOS = SECONDS.toNanos(4);

  private final ReplicatedMap store;
  private final Execution execution;
  private final List<Runnable> readers;
  private ScheduledExecutorService executor;
  private volatile String fault = "";

  // Executor thread only:
  private long answeredNanos;
  private boolean isBehind;

  /**
   * One that does not watch yet.
   *
   * @param readers read parts of the store anew; they may throw {@link StorageUnavailableException}
   */
  public StoreWatch(ReplicatedStorage storage, Execution execution, List<Runnable> readers) {
    this.store = storage.map(STORE);
    this.execution = execution;
    this.readers = readers;
  }

  public void start() {
    answeredNanos = execution.clock().nanoTime();
    executor = execution.sequential("store-watch");
    executor.scheduleWithFixedDelay(this::check, 0, PERIOD_SECONDS, SECONDS);
  }

  public void stop() {
    executor.shutdownNow();
  }

  /** Why the store does not answer; empty: it does. */
  public String fault() {
    return fault;
  }

  private void check() {
    try {
      store.get(NOTHING);
      long now = execution.clock().nanoTime();
      isBehind |= now - answeredNanos > FORGOTTEN_NANOS;
      answeredNanos = now;
      if (isBehind) {
        readers.forEach(Runnable::run);
        isBehind = false;
      }
      fault = "";
    } catch (StorageUnavailableException e) {
      isBehind = true;
      fault = e.getMessage();
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("The cluster's store was not read anew; retrying in some seconds", e);
    }
  }
}
