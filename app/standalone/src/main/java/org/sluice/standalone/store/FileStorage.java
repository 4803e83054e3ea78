// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * The maps of a node on its own, in one file of a directory. Reads come from memory, and see what
 * the disk has, no more; so they go on while it takes nothing. Writes that come while others are
 * being written share the next sync. One revision numbers the writes to all maps. Thread-safe.
 */
public final class FileStorage implements ReplicatedStorage, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FileStorage.class);
  private static final String FILE = "store.mv";
  private static final long TIMEOUT_SECONDS = 10;

  /** Ends a map's name in the key of an entry. */
  private static final char END = '\0';

  private final Path path;
  private final String scheme;
  private final DirectoryLock lock;
  private final BlockingQueue<Write> writes = new LinkedBlockingQueue<>();
  private final ExecutorService notifier;
  private final Thread writer = new Thread(this::run, "store");
  private final Map<String, FileMap> maps = new HashMap<>();

  /** What the disk has. Changed by the writer alone. */
  private final NavigableMap<String, Versioned> entries;

  private volatile boolean closed;

  // Writer only:
  private StoreFile file;
  private boolean fails;
  private long revision;

  /** A change that is asked for; {@code done} with whether it was made. */
  private record Write(
      FileMap map,
      String key,
      Predicate<Optional<Versioned>> condition,
      Optional<String> value,
      CompletableFuture<Boolean> done) {}

  private record Change(
      FileMap map, String key, Optional<Versioned> before, Optional<Versioned> now) {}

  /**
   * Opens the storage of a directory; begins it if there is none.
   *
   * @throws IOException with what is wrong and the remedy: another process has the directory, or
   *     the file is damaged or of another format
   */
  public static FileStorage open(Path directory) throws IOException {
    return open(directory, "");
  }

  /** The same in one of H2's file systems. */
  static FileStorage open(Path directory, String scheme) throws IOException {
    Path path = directory.toAbsolutePath().resolve(FILE);
    DirectoryLock lock = DirectoryLock.take(directory);
    try {
      // A directory that was emptied does not use versions again.
      return Files.exists(path)
          ? new FileStorage(path, scheme, lock, StoreFile.read(scheme, path), true)
          : new FileStorage(
              path,
              scheme,
              lock,
              new StoreFile.Content(Map.of(), System.currentTimeMillis()),
              false);
    } catch (IOException e) {
      lock.close();
      throw e;
    }
  }

  private FileStorage(
      Path path, String scheme, DirectoryLock lock, StoreFile.Content content, boolean exists)
      throws IOException {
    this.path = path;
    this.scheme = scheme;
    this.lock = lock;
    entries = new TreeMap<>(content.entries());
    revision = content.revision();
    try {
      write(Map.of(), revision);
    } catch (IOException e) {
      IOException failure = failure(e);
      if (!exists) {
        throw failure;
      }
    }
    notifier =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "store-listeners");
              thread.setDaemon(true);
              return thread;
            });
    writer.setDaemon(true);
    writer.start();
  }

  @Override
  public ReplicatedMap map(String name) {
    synchronized (maps) {
      return maps.computeIfAbsent(name, FileMap::new);
    }
  }

  /** Ends it, once what was asked for is stored. */
  @Override
  public void close() throws IOException {
    synchronized (writes) {
      closed = true;
      // Wakes the writer.
      writes.add(
          new Write(
              new FileMap(""), "", before -> false, Optional.empty(), new CompletableFuture<>()));
    }
    try {
      writer.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    notifier.shutdown();
    lock.close();
  }

  private CompletableFuture<Boolean> submit(Write write) {
    synchronized (writes) {
      if (closed) {
        write.done.completeExceptionally(new IOException(path + " was closed"));
      } else {
        writes.add(write);
      }
    }
    return write.done;
  }

  private static boolean await(CompletableFuture<Boolean> write) {
    try {
      return write.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new StorageUnavailableException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new StorageUnavailableException(
          "the disk has not answered for " + TIMEOUT_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageUnavailableException(e);
    }
  }

  private void run() {
    List<Write> batch = new ArrayList<>();
    while (!(closed && writes.isEmpty())) {
      try {
        batch.add(writes.take());
        writes.drainTo(batch);
        store(batch);
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts the store's writer", e);
      } catch (IOException | RuntimeException | Error e) {
        IOException failure = failure(e);
        batch.forEach(write -> write.done.completeExceptionally(failure));
      }
      batch.clear();
    }
    if (file != null) {
      file.close();
    }
  }

  private IOException failure(Throwable cause) {
    String message =
        "cannot write "
            + path
            + ": "
            + StoreFile.reason(cause)
            + "; what was stored stays and can be read. Make room in "
            + path.getParent()
            + ", or mend its disk: writes succeed then without a restart";
    if (!fails) {
      log.error("{}", message);
      fails = true;
    }
    return new IOException(message, cause);
  }

  private void store(List<Write> batch) throws IOException {
    Map<String, Optional<Versioned>> changed = new LinkedHashMap<>();
    List<Change> changes = new ArrayList<>();
    List<Boolean> results = new ArrayList<>();
    long last = revision;
    for (Write write : batch) {
      String id = write.map.prefix + write.key;
      Optional<Versioned> before =
          changed.containsKey(id) ? changed.get(id) : Optional.ofNullable(entries.get(id));
      boolean due = write.condition.test(before);
      results.add(due);
      if (due) {
        long version = ++last;
        Optional<Versioned> now = write.value.map(value -> Versioned.of(value, version));
        changed.put(id, now);
        changes.add(new Change(write.map, write.key, before, now));
      }
    }
    if (!changes.isEmpty()) {
      write(changed, last);
      revision = last;
      publish(changed, changes);
    }
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).done.complete(results.get(i));
    }
  }

  private void write(Map<String, Optional<Versioned>> changed, long last) throws IOException {
    if (file == null || file.isLarge()) {
      Map<String, Versioned> all = new TreeMap<>(entries);
      apply(changed, all);
      StoreFile next;
      try {
        next = StoreFile.draft(scheme, path, new StoreFile.Content(all, last));
      } catch (IOException e) {
        if (file == null) {
          throw e;
        }
        log.warn("{} grows on, as no smaller one could be written: {}", path, e.getMessage());
        file.postpone();
        append(changed, last);
        return;
      }
      if (file != null) {
        file.close();
        file = null;
      }
      next.install(path);
      file = next;
      if (fails) {
        log.info("{} is written again", path);
        fails = false;
      }
    } else {
      append(changed, last);
    }
  }

  private void append(Map<String, Optional<Versioned>> changed, long last) throws IOException {
    try {
      file.write(changed, last);
    } catch (IOException e) {
      // Nobody knows now what the disk has, whatever later reads and syncs say.
      file.close();
      file = null;
      throw e;
    }
  }

  private static void apply(
      Map<String, Optional<Versioned>> changed, Map<String, Versioned> entries) {
    changed.forEach(
        (id, now) ->
            now.ifPresentOrElse(entry -> entries.put(id, entry), () -> entries.remove(id)));
  }

  /** A listener receives exactly what becomes visible while it is one. */
  private void publish(Map<String, Optional<Versioned>> changed, List<Change> changes) {
    synchronized (entries) {
      apply(changed, entries);
      for (Change change : changes) {
        List<ReplicatedMap.Listener> receivers = List.copyOf(change.map.listeners);
        if (!receivers.isEmpty()) {
          notifier.execute(() -> receivers.forEach(receiver -> notify(receiver, change)));
        }
      }
    }
  }

  private static void notify(ReplicatedMap.Listener receiver, Change change) {
    try {
      if (change.map.listeners.contains(receiver)) {
        receiver.changed(change.key, change.before, change.now);
      }
    } catch (RuntimeException e) {
      log.error("A listener could not handle a change", e);
    }
  }

  private final class FileMap implements ReplicatedMap {
    /** Begins the ids of its entries. */
    private final String prefix;

    private final Collection<Listener> listeners = new CopyOnWriteArrayList<>();

    FileMap(String name) {
      prefix = name + END;
    }

    @Override
    public Optional<Versioned> get(String key) {
      synchronized (entries) {
        return Optional.ofNullable(entries.get(prefix + key));
      }
    }

    @Override
    public Map<String, Versioned> entries() {
      Map<String, Versioned> found = new TreeMap<>();
      synchronized (entries) {
        for (Map.Entry<String, Versioned> entry : entries.tailMap(prefix).entrySet()) {
          if (!entry.getKey().startsWith(prefix)) {
            break;
          }
          found.put(entry.getKey().substring(prefix.length()), entry.getValue());
        }
      }
      return found;
    }

    private CompletableFuture<Boolean> write(
        String key, Predicate<Optional<Versioned>> condition, Optional<String> value) {
      return submit(new Write(this, key, condition, value, new CompletableFuture<>()));
    }

    private static Predicate<Optional<Versioned>> hasVersion(long version) {
      return entry -> entry.isPresent() && entry.get().version() == version;
    }

    @Override
    public void put(String key, String value) {
      await(write(key, before -> true, Optional.of(value)));
    }

    @Override
    public boolean putIfAbsent(String key, String value) {
      return await(write(key, Optional::isEmpty, Optional.of(value)));
    }

    @Override
    public boolean replace(String key, long version, String value) {
      return await(write(key, hasVersion(version), Optional.of(value)));
    }

    @Override
    public void remove(String key) {
      await(write(key, Optional::isPresent, Optional.empty()));
    }

    @Override
    public boolean remove(String key, long version) {
      return await(write(key, hasVersion(version), Optional.empty()));
    }

    @Override
    public void clear() {
      entries().keySet().stream()
          .map(key -> write(key, Optional::isPresent, Optional.empty()))
          .toList()
          .forEach(FileStorage::await);
    }

    @Override
    public void addListener(Listener listener) {
      synchronized (entries) {
        listeners.add(listener);
      }
    }

    @Override
    public void removeListener(Listener listener) {
      listeners.remove(listener);
    }
  }
}
