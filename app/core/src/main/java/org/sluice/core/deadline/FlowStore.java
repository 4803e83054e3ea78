// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Registrations over the cluster: an entry for each, and the {@link RegistrationLog}. A node
 * decides on what it knows, replaces the log if nobody else has meanwhile, then writes the entries,
 * then empties the log; should it die in between, the next to decide writes them.
 */
final class FlowStore {
  private static final String STORE = "sluice-flows";
  private static final String LOG = "log";
  private static final int WRITERS = 8;
  private static final long WRITE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Receives changed entries. */
  interface Listener {
    void stored(StoredFlow flow);

    void removed(StoredFlow flow);
  }

  private final ReplicatedMap map;
  private final ReplicatedMap.Listener mapListener = this::changed;
  private final Listener listener;
  private final Execution execution;

  /** The store takes a millisecond for each, and many at once. */
  private final ExecutorService writers;

  /** The registration log and the version of its entry. */
  static final class VersionedLog {
    /** Of an entry that is not there. */
    private static final long ABSENT = 0;

    private final RegistrationLog value;
    private final long version;

    private VersionedLog(RegistrationLog value, long version) {
      this.value = value;
      this.version = version;
    }

    RegistrationLog value() {
      return value;
    }
  }

  FlowStore(ReplicatedStorage storage, Execution execution, Listener listener) {
    this.listener = listener;
    this.execution = execution;
    writers = execution.parallel("flow-store", WRITERS);
    map = storage.map(STORE);
  }

  void open() {
    map.addListener(mapListener);
  }

  void close() {
    map.removeListener(mapListener);
    writers.shutdownNow();
  }

  private void changed(String key, Optional<Versioned> before, Optional<Versioned> now) {
    if (key.equals(LOG)) {
      return;
    }
    if (now.isPresent()) {
      FlowCodec.read(now.get().value()).ifPresent(listener::stored);
    } else if (before.isPresent()) {
      FlowCodec.read(before.get().value()).ifPresent(listener::removed);
    }
  }

  /** All registrations. */
  List<StoredFlow> flows() {
    List<StoredFlow> found = new ArrayList<>();
    for (Map.Entry<String, Versioned> entry : map.entries().entrySet()) {
      if (!entry.getKey().equals(LOG)) {
        FlowCodec.read(entry.getValue().value()).ifPresent(found::add);
      }
    }
    return found;
  }

  /** The registration log as it is. */
  VersionedLog registrationLog() {
    return map.get(LOG)
        .map(stored -> new VersionedLog(FlowCodec.readLog(stored.value()), stored.version()))
        .orElseGet(() -> new VersionedLog(RegistrationLog.FIRST, VersionedLog.ABSENT));
  }

  /** Replaces the registration log unless somebody else has; returns whether it did. */
  boolean replace(VersionedLog before, RegistrationLog after) {
    String text = FlowCodec.write(after);
    return before.version == VersionedLog.ABSENT
        ? map.putIfAbsent(LOG, text)
        : map.replace(LOG, before.version, text);
  }

  /** Whether a log was put in place; who replaces it completes its entries before. */
  boolean hasDecided(RegistrationLog log) {
    return registrationLog().value().equals(log)
        || log.flows().stream()
            .allMatch(
                flow ->
                    map.get(key(flow.id()))
                        .flatMap(entry -> FlowCodec.read(entry.value()))
                        .filter(flow::equals)
                        .isPresent());
  }

  /** Writes entries. */
  void write(List<StoredFlow> flows) {
    List<CompletableFuture<?>> writes = new ArrayList<>(flows.size());
    for (StoredFlow flow : flows) {
      writes.add(
          CompletableFuture.runAsync(
              () -> map.put(key(flow.id()), FlowCodec.write(flow)), writers));
    }
    await(CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0])));
  }

  private void await(CompletableFuture<?> writes) {
    try {
      execution.await(writes, WRITE_NANOS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StorageUnavailableException
          ? (StorageUnavailableException) e.getCause()
          : new IllegalStateException("registrations could not be written", e.getCause());
    } catch (TimeoutException e) {
      throw new StorageUnavailableException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageUnavailableException(e);
    }
  }

  /** Writes entries anew, those that are still there. */
  void rewrite(List<StoredFlow> flows) {
    for (StoredFlow flow : flows) {
      String text = FlowCodec.write(flow);
      map.get(key(flow.id()))
          .filter(before -> !before.value().equals(text))
          .ifPresent(before -> map.replace(key(flow.id()), before.version(), text));
    }
  }

  /** Writes entries that are not as was decided: the node that did could not, or died before. */
  void complete(List<StoredFlow> flows) {
    for (StoredFlow flow : flows) {
      map.putIfAbsent(key(flow.id()), FlowCodec.write(flow));
    }
    rewrite(flows);
  }

  /** Removes an entry, if it is there. */
  void remove(long id) {
    map.remove(key(id));
  }

  /**
   * Removes an entry of what is expected, if it is there.
   *
   * @throws SluiceException STALE if it is not what is expected
   */
  void remove(long id, Expectation<FlowStatus> expected) throws SluiceException {
    boolean removed = false;
    while (!removed) {
      Optional<Versioned> entry = map.get(key(id));
      Optional<StoredFlow> flow = entry.flatMap(stored -> FlowCodec.read(stored.value()));
      expected.check(flow.map(StoredFlow::status));
      removed = entry.isEmpty() || map.remove(key(id), entry.get().version());
    }
  }

  /** Removes all entries, and leaves the registration log so that no number comes twice. */
  void clear() {
    for (StoredFlow flow : flows()) {
      remove(flow.id());
    }
  }

  private static String key(long id) {
    return String.valueOf(id);
  }
}
