// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import java.util.Map;
import java.util.Optional;

/**
 * A map that all nodes of the cluster share, linearisable. Every call may take milliseconds and
 * throws {@link StorageUnavailableException} while the cluster cannot answer.
 */
public interface ReplicatedMap {

  /** A value and the version that it was written with. */
  @AutoValue
  abstract class Versioned {
    public static Versioned of(String value, long version) {
      return new AutoValue_ReplicatedMap_Versioned(value, version);
    }

    public abstract String value();

    /** Grows with every write to the map; above 0. */
    public abstract long version();
  }

  /** Receives changes, whoever made them, in their order for each key; must not block. */
  interface Listener {
    void changed(String key, Optional<Versioned> before, Optional<Versioned> now);
  }

  Optional<Versioned> get(String key);

  /** All entries, as they are now. */
  Map<String, Versioned> entries();

  void put(String key, String value);

  /** Writes a value if there is none; whether it did. */
  boolean putIfAbsent(String key, String value);

  /** Writes a value if the present one has this version; whether it did. */
  boolean replace(String key, long version, String value);

  /** Removes an entry, if it is there. */
  void remove(String key);

  /** Removes an entry if it has this version; whether it did. */
  boolean remove(String key, long version);

  void clear();

  void addListener(Listener listener);

  void removeListener(Listener listener);
}
