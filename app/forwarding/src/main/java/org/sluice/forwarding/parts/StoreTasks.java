// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.parts;

import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Reads and writes the cluster's store behind those who want it, and logs when it does not answer.
 */
public final class StoreTasks implements Executor {
  private static final Logger log = LoggerFactory.getLogger(StoreTasks.class);

  private final Executor executor;
  private final String consequence;

  /**
   * Tasks of one kind.
   *
   * @param executor runs them, one after the other
   * @param consequence what the log says when the store does not answer
   */
  public StoreTasks(Executor executor, String consequence) {
    this.executor = executor;
    this.consequence = consequence;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(
        () -> {
          try {
            task.run();
          } catch (StorageUnavailableException e) {
            log.warn("{}: {}", consequence, e.getMessage());
          }
        });
  }

  /** Has a listener receive what a map has, and how it changes, behind who calls. */
  public void follow(ReplicatedMap map, ReplicatedMap.Listener listener) {
    execute(
        () -> {
          map.addListener(listener);
          map.entries()
              .forEach((key, now) -> listener.changed(key, Optional.empty(), Optional.of(now)));
        });
  }
}
