// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.ConsistentMap;
import org.onosproject.store.service.MapEventListener;
import org.onosproject.store.service.Serializer;
import org.onosproject.store.service.StorageException;
import org.onosproject.store.service.StorageService;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/** Consistent maps of ONOS's cluster. */
final class OnosStorage implements ReplicatedStorage {
  private final StorageService storage;

  OnosStorage(StorageService storage) {
    this.storage = storage;
  }

  @Override
  public ReplicatedMap map(String name) {
    return new OnosMap(
        storage
            .<String, String>consistentMapBuilder()
            .withName(name)
            .withSerializer(Serializer.using(KryoNamespaces.BASIC))
            .build());
  }

  private static final class OnosMap implements ReplicatedMap {
    private final ConsistentMap<String, String> map;
    private final Map<Listener, MapEventListener<String, String>> listeners =
        new ConcurrentHashMap<>();

    OnosMap(ConsistentMap<String, String> map) {
      this.map = map;
    }

    private static <T> T guarded(Supplier<T> call) {
      try {
        return call.get();
      } catch (StorageException e) {
        throw new StorageUnavailableException(e);
      }
    }

    private static Optional<Versioned> versioned(
        org.onosproject.store.service.Versioned<String> value) {
      return Optional.ofNullable(value).map(v -> Versioned.of(v.value(), v.version()));
    }

    @Override
    public Optional<Versioned> get(String key) {
      return guarded(() -> versioned(map.get(key)));
    }

    @Override
    public Map<String, Versioned> entries() {
      return guarded(
          () -> {
            Map<String, Versioned> found = new HashMap<>();
            map.entrySet()
                .forEach(
                    entry ->
                        found.put(
                            entry.getKey(),
                            Versioned.of(entry.getValue().value(), entry.getValue().version())));
            return found;
          });
    }

    @Override
    public void put(String key, String value) {
      guarded(() -> map.put(key, value));
    }

    @Override
    public boolean putIfAbsent(String key, String value) {
      return guarded(() -> map.putIfAbsent(key, value) == null);
    }

    @Override
    public boolean replace(String key, long version, String value) {
      return guarded(() -> map.replace(key, version, value));
    }

    @Override
    public void remove(String key) {
      guarded(() -> map.remove(key));
    }

    @Override
    public boolean remove(String key, long version) {
      return guarded(() -> map.remove(key, version));
    }

    @Override
    public void clear() {
      guarded(
          () -> {
            map.clear();
            return null;
          });
    }

    @Override
    public void addListener(Listener listener) {
      MapEventListener<String, String> adapted =
          event ->
              listener.changed(
                  event.key(), versioned(event.oldValue()), versioned(event.newValue()));
      listeners.put(listener, adapted);
      map.addListener(adapted);
    }

    @Override
    public void removeListener(Listener listener) {
      MapEventListener<String, String> adapted = listeners.remove(listener);
      if (adapted != null) {
        map.removeListener(adapted);
      }
    }
  }
}
