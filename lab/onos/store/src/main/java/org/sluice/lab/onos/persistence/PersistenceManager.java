// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.persistence;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.onosproject.persistence.PersistenceService;
import org.onosproject.persistence.PersistentMapBuilder;
import org.onosproject.persistence.PersistentSetBuilder;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disk-backed maps and sets of one node, in one MapDB file under {@code karaf.data}.
 *
 * <p>Changes reach the disk within {@value #COMMIT_PERIOD_MILLIS} ms.
 */
@Component(immediate = true, service = PersistenceService.class)
public class PersistenceManager implements PersistenceService {

  private static final Logger LOG = LoggerFactory.getLogger(PersistenceManager.class);
  private static final long COMMIT_PERIOD_MILLIS = 3000;

  private DB database;
  private ScheduledExecutorService committer;

  /** Opens or creates the file. */
  @Activate
  public void activate() {
    Path directory = Path.of(System.getProperty("karaf.data"), "db", "local");
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    database = DBMaker.newFileDB(directory.resolve("store").toFile()).make();
    committer =
        Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "lab-persistence"));
    committer.scheduleWithFixedDelay(
        this::commit, COMMIT_PERIOD_MILLIS, COMMIT_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Writes what is pending and closes the file. */
  @Deactivate
  public void deactivate() {
    committer.shutdown();
    synchronized (this) {
      database.commit();
      database.close();
    }
  }

  private synchronized void commit() {
    try {
      if (!database.isClosed()) {
        database.commit();
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      LOG.error("State is not written to the disk yet; retrying", e);
    }
  }

  @Override
  public <K, V> PersistentMapBuilder<K, V> persistentMapBuilder() {
    return new MapBuilder<>(database);
  }

  @Override
  public <E> PersistentSetBuilder<E> persistentSetBuilder() {
    return new SetBuilder<>(database);
  }
}
