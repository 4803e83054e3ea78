// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.virtual;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;

/**
 * A cluster's storage in this process: every node that is given it shares its maps, which last as
 * long as the process. Thread-safe.
 */
public class ProcessStorage implements ReplicatedStorage {
  private final Map<String, ProcessMap> maps = new HashMap<>();

  @Override
  public final synchronized ReplicatedMap map(String name) {
    return maps.computeIfAbsent(name, n -> new ProcessMap());
  }

  /**
   * What comes before every call.
   *
   * @throws org.sluice.core.spi.StorageUnavailableException if the storage cannot answer
   */
  protected void called() {}

  /** What comes before every conditional write. */
  protected void beforeConditionalWrite() {}

  /** What comes after every replacement of an entry. */
  protected void replaced() {}

  private final class ProcessMap implements ReplicatedMap {
    private final Map<String, Versioned> entries = new TreeMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private long version;

    @Override
    public Optional<Versioned> get(String key) {
      synchronized (ProcessStorage.this) {
        called();
        return Optional.ofNullable(entries.get(key));
      }
    }

    @Override
    public Map<String, Versioned> entries() {
      synchronized (ProcessStorage.this) {
        called();
        return new TreeMap<>(entries);
      }
    }

    private void write(String key, String value) {
      Versioned before = entries.get(key);
      Versioned now = value == null ? null : Versioned.of(value, ++version);
      if (now == null) {
        entries.remove(key);
      } else {
        entries.put(key, now);
      }
      if (!Objects.equals(before, now)) {
        listeners.forEach(
            listener ->
                listener.changed(key, Optional.ofNullable(before), Optional.ofNullable(now)));
      }
    }

    @Override
    public void put(String key, String value) {
      synchronized (ProcessStorage.this) {
        called();
        write(key, value);
      }
    }

    @Override
    public boolean putIfAbsent(String key, String value) {
      synchronized (ProcessStorage.this) {
        called();
        beforeConditionalWrite();
        if (entries.containsKey(key)) {
          return false;
        }
        write(key, value);
        return true;
      }
    }

    @Override
    public boolean replace(String key, long expected, String value) {
      synchronized (ProcessStorage.this) {
        called();
        beforeConditionalWrite();
        if (!isAt(key, expected)) {
          return false;
        }
        write(key, value);
        replaced();
        return true;
      }
    }

    private boolean isAt(String key, long expected) {
      Versioned entry = entries.get(key);
      return entry != null && entry.version() == expected;
    }

    @Override
    public void remove(String key) {
      synchronized (ProcessStorage.this) {
        called();
        write(key, null);
      }
    }

    @Override
    public boolean remove(String key, long expected) {
      synchronized (ProcessStorage.this) {
        called();
        beforeConditionalWrite();
        if (!isAt(key, expected)) {
          return false;
        }
        write(key, null);
        return true;
      }
    }

    @Override
    public void clear() {
      synchronized (ProcessStorage.this) {
        called();
        List.copyOf(entries.keySet()).forEach(key -> write(key, null));
      }
    }

    @Override
    public void addListener(Listener listener) {
      listeners.add(listener);
    }

    @Override
    public void removeListener(Listener listener) {
      listeners.remove(listener);
    }
  }
}
