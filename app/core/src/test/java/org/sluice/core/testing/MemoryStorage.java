// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/** A cluster's storage in this process: every node of a test that is given it shares its maps. */
public final class MemoryStorage implements ReplicatedStorage {
  private final Map<String, MemoryMap> maps = new HashMap<>();
  private boolean available = true;
  private Runnable beforeReplace = () -> {};
  private Runnable afterReplace = () -> {};

  @Override
  public synchronized ReplicatedMap map(String name) {
    return maps.computeIfAbsent(name, n -> new MemoryMap());
  }

  /** The cluster has lost its majority, or has it back. */
  public synchronized void setAvailable(boolean value) {
    available = value;
  }

  /** Something that another node does just before this one's next conditional write. */
  public synchronized void beforeNextReplace(Runnable action) {
    beforeReplace = action;
  }

  /** Something that another node does just after somebody's next replacement of an entry. */
  public synchronized void afterNextReplace(Runnable action) {
    afterReplace = action;
  }

  private final class MemoryMap implements ReplicatedMap {
    private final Map<String, Versioned> entries = new TreeMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private long version;

    private void check() {
      if (!available) {
        throw new StorageUnavailableException(new IllegalStateException("no majority"));
      }
    }

    private void disturb() {
      Runnable action = beforeReplace;
      beforeReplace = () -> {};
      action.run();
    }

    @Override
    public Optional<Versioned> get(String key) {
      synchronized (MemoryStorage.this) {
        check();
        return Optional.ofNullable(entries.get(key));
      }
    }

    @Override
    public Map<String, Versioned> entries() {
      synchronized (MemoryStorage.this) {
        check();
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
      synchronized (MemoryStorage.this) {
        check();
        write(key, value);
      }
    }

    @Override
    public boolean putIfAbsent(String key, String value) {
      synchronized (MemoryStorage.this) {
        check();
        disturb();
        if (entries.containsKey(key)) {
          return false;
        }
        write(key, value);
        return true;
      }
    }

    @Override
    public boolean replace(String key, long expected, String value) {
      synchronized (MemoryStorage.this) {
        check();
        disturb();
        if (!isAt(key, expected)) {
          return false;
        }
        write(key, value);
        Runnable action = afterReplace;
        afterReplace = () -> {};
        action.run();
        return true;
      }
    }

    private boolean isAt(String key, long expected) {
      Versioned entry = entries.get(key);
      return entry != null && entry.version() == expected;
    }

    @Override
    public void remove(String key) {
      synchronized (MemoryStorage.this) {
        check();
        write(key, null);
      }
    }

    @Override
    public boolean remove(String key, long expected) {
      synchronized (MemoryStorage.this) {
        check();
        disturb();
        if (!isAt(key, expected)) {
          return false;
        }
        write(key, null);
        return true;
      }
    }

    @Override
    public void clear() {
      synchronized (MemoryStorage.this) {
        check();
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
