// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.onosproject.persistence.PersistenceService;
import org.onosproject.persistence.PersistentMapBuilder;
import org.onosproject.persistence.PersistentSetBuilder;
import org.onosproject.store.service.Serializer;

/** A node's disk: what is kept there outlives the components that keep it. */
public final class MemoryPersistence implements PersistenceService {
  private final Map<String, Set<?>> sets = new ConcurrentHashMap<>();

  @Override
  public <K, V> PersistentMapBuilder<K, V> persistentMapBuilder() {
    throw new UnsupportedOperationException("Sluice keeps no map");
  }

  @Override
  public <E> PersistentSetBuilder<E> persistentSetBuilder() {
    return new SetBuilder<>();
  }

  private final class SetBuilder<E> implements PersistentSetBuilder<E> {
    private String name;

    @Override
    public PersistentSetBuilder<E> withName(String now) {
      name = now;
      return this;
    }

    @Override
    public PersistentSetBuilder<E> withSerializer(Serializer serializer) {
      return this;
    }

    @Override
    @SuppressWarnings("unchecked") // Whoever requests a name means the same type.
    public Set<E> build() {
      return (Set<E>) sets.computeIfAbsent(name, n -> ConcurrentHashMap.newKeySet());
    }
  }
}
