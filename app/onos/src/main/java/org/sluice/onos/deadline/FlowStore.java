// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.ConsistentMap;
import org.onosproject.store.service.MapEvent;
import org.onosproject.store.service.MapEventListener;
import org.onosproject.store.service.Serializer;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.Versioned;

/**
 * Registrations over the cluster: an entry for each, and the {@link Ledger}. A node decides on what
 * it knows, replaces the ledger if nobody else has meanwhile, then writes the entries, then empties
 * the ledger; should it die in between, the next to decide writes them.
 */
final class FlowStore {
  private static final String STORE = "sluice-flows";
  private static final String LEDGER = "ledger";
  private static final int WRITERS = 8;

  /** Hears of entries. */
  interface Listener {
    void stored(StoredFlow flow);

    void removed(StoredFlow flow);
  }

  private final ConsistentMap<String, String> map;
  private final MapEventListener<String, String> mapListener = this::tell;
  private final Listener listener;

  /** The store takes a millisecond for each, and many at once. */
  private final ExecutorService writers;

  FlowStore(StorageService storage, Listener listener) {
    this.listener = listener;
    writers = Executors.newFixedThreadPool(WRITERS, groupedThreads("sluice", "flow-store-%d"));
    map =
        storage
            .<String, String>consistentMapBuilder()
            .withName(STORE)
            .withSerializer(Serializer.using(KryoNamespaces.BASIC))
            .build();
  }

  void open() {
    map.addListener(mapListener);
  }

  void close() {
    map.removeListener(mapListener);
    writers.shutdownNow();
  }

  private void tell(MapEvent<String, String> event) {
    if (event.key().equals(LEDGER)) {
      return;
    }
    Versioned<String> now = event.newValue();
    Versioned<String> before = event.oldValue();
    if (now != null) {
      FlowCodec.read(now.value()).ifPresent(listener::stored);
    } else if (before != null) {
      FlowCodec.read(before.value()).ifPresent(listener::removed);
    }
  }

  /** All registrations. */
  List<StoredFlow> flows() {
    List<StoredFlow> found = new ArrayList<>();
    for (Map.Entry<String, Versioned<String>> entry : map.entrySet()) {
      if (!entry.getKey().equals(LEDGER)) {
        FlowCodec.read(entry.getValue().value()).ifPresent(found::add);
      }
    }
    return found;
  }

  /** The ledger as it is, with its version: 0 while there is none. */
  Versioned<Ledger> ledger() {
    Versioned<String> stored = map.get(LEDGER);
    return stored == null
        ? new Versioned<>(Ledger.FIRST, 0)
        : new Versioned<>(FlowCodec.readLedger(stored.value()), stored.version());
  }

  /** Replaces the ledger unless somebody else has; returns whether it did. */
  boolean replace(Versioned<Ledger> before, Ledger after) {
    String text = FlowCodec.write(after);
    return before.version() == 0
        ? map.putIfAbsent(LEDGER, text) == null
        : map.replace(LEDGER, before.version(), text);
  }

  /** Writes entries. */
  void write(List<StoredFlow> flows) {
    List<CompletableFuture<?>> writes = new ArrayList<>(flows.size());
    for (StoredFlow flow : flows) {
      writes.add(
          CompletableFuture.runAsync(
              () -> map.put(key(flow.id()), FlowCodec.write(flow)), writers));
    }
    CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0])).join();
  }

  /** Writes entries anew, those that are still there. */
  void rewrite(List<StoredFlow> flows) {
    for (StoredFlow flow : flows) {
      Versioned<String> before = map.get(key(flow.id()));
      if (before != null) {
        map.replace(key(flow.id()), before.version(), FlowCodec.write(flow));
      }
    }
  }

  /** Writes entries that are not there, as the node that decided about them died before. */
  void complete(List<StoredFlow> flows) {
    for (StoredFlow flow : flows) {
      map.putIfAbsent(key(flow.id()), FlowCodec.write(flow));
    }
  }

  /** Removes an entry, if it is there. */
  void remove(long id) {
    map.remove(key(id));
  }

  /** Removes all entries, and leaves the ledger so that no number comes twice. */
  void clear() {
    for (StoredFlow flow : flows()) {
      remove(flow.id());
    }
  }

  private static String key(long id) {
    return String.valueOf(id);
  }
}
