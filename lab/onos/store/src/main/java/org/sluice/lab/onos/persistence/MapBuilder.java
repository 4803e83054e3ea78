// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.persistence;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import org.mapdb.DB;
import org.onosproject.persistence.PersistentMapBuilder;
import org.onosproject.store.service.Serializer;

/** Builds a {@link PersistentMap} in a database. */
final class MapBuilder<K, V> implements PersistentMapBuilder<K, V> {

  private final DB database;
  private String name;
  private Serializer serializer;

  MapBuilder(DB database) {
    this.database = database;
  }

  @Override
  public PersistentMapBuilder<K, V> withName(String name) {
    this.name = name;
    return this;
  }

  @Override
  public PersistentMapBuilder<K, V> withSerializer(Serializer serializer) {
    this.serializer = serializer;
    return this;
  }

  @Override
  public Map<K, V> build() {
    requireNonNull(name, "name");
    requireNonNull(serializer, "serializer");
    return new PersistentMap<>(ByteMaps.open(database, "map:" + name), serializer);
  }
}
