// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.persistence;

import static java.util.Objects.requireNonNull;

import java.util.Set;
import org.mapdb.DB;
import org.onosproject.persistence.PersistentSetBuilder;
import org.onosproject.store.service.Serializer;

/** Builds a {@link PersistentSet} in a database. */
final class SetBuilder<E> implements PersistentSetBuilder<E> {

  private final DB database;
  private String name;
  private Serializer serializer;

  SetBuilder(DB database) {
    this.database = database;
  }

  @Override
  public PersistentSetBuilder<E> withName(String name) {
    this.name = name;
    return this;
  }

  @Override
  public PersistentSetBuilder<E> withSerializer(Serializer serializer) {
    this.serializer = serializer;
    return this;
  }

  @Override
  public Set<E> build() {
    requireNonNull(name, "name");
    requireNonNull(serializer, "serializer");
    return new PersistentSet<>(
        new PersistentMap<>(ByteMaps.open(database, "set:" + name), serializer));
  }
}
