// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.common.api.OptimisticLockFailedException;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.Stores;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.stores.Store;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.stores.StoreBuilder;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.stores.StoreKey;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.stores.store.Entry;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.stores.store.EntryBuilder;
import org.opendaylight.yang.gen.v1.urn.sluice.store.rev261128.stores.store.EntryKey;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.odl.line.Mdsal;

/**
 * A map in a datastore. Every write changes the map's version too, so that of two writes at the
 * same time the datastore refuses one, and that one is done again on what the other has left.
 */
final class OdlMap implements ReplicatedMap {
  private static final long TIMEOUT_SECONDS = 10;
  private static final int ATTEMPTS = 100;

  private final Mdsal mdsal;
  private final LogicalDatastoreType datastore;
  private final String name;
  private final InstanceIdentifier<Store> path;
  private final Map<Listener, Registration> listeners = new ConcurrentHashMap<>();

  OdlMap(Mdsal mdsal, LogicalDatastoreType datastore, String name) {
    this.mdsal = mdsal;
    this.datastore = datastore;
    this.name = name;
    path = InstanceIdentifier.builder(Stores.class).child(Store.class, new StoreKey(name)).build();
  }

  @Override
  public Optional<Versioned> get(String key) {
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      return answer(transaction.read(datastore, entry(key))).map(OdlMap::versioned);
    }
  }

  @Override
  public Map<String, Versioned> entries() {
    Map<String, Versioned> found = new HashMap<>();
    read()
        .ifPresent(
            store ->
                store
                    .nonnullEntry()
                    .values()
                    .forEach(entry -> found.put(entry.getName(), versioned(entry))));
    return found;
  }

  @Override
  public void put(String key, String value) {
    write(key, before -> true, Optional.of(value));
  }

  @Override
  public boolean putIfAbsent(String key, String value) {
    return write(key, Optional::isEmpty, Optional.of(value));
  }

  @Override
  public boolean replace(String key, long version, String value) {
    return write(key, before -> has(before, version), Optional.of(value));
  }

  @Override
  public void remove(String key) {
    write(key, Optional::isPresent, Optional.empty());
  }

  @Override
  public boolean remove(String key, long version) {
    return write(key, before -> has(before, version), Optional.empty());
  }

  @Override
  public void clear() {
    entries().keySet().forEach(this::remove);
  }

  private static boolean has(Optional<Versioned> entry, long version) {
    return entry.isPresent() && entry.get().version() == version;
  }

  private boolean write(
      String key, Predicate<Optional<Versioned>> condition, Optional<String> value) {
    for (int attempt = 1; ; attempt++) {
      ReadWriteTransaction transaction = mdsal.broker().newReadWriteTransaction();
      long version = answer(transaction.read(datastore, path)).map(OdlMap::version).orElse(0L) + 1;
      Optional<Versioned> before =
          answer(transaction.read(datastore, entry(key))).map(OdlMap::versioned);
      if (!condition.test(before)) {
        transaction.cancel();
        return false;
      }
      transaction.merge(
          datastore,
          path,
          new StoreBuilder().setName(name).setVersion(Uint64.valueOf(version)).build());
      if (value.isPresent()) {
        transaction.put(datastore, entry(key), entry(key, value.get(), version));
      } else {
        transaction.delete(datastore, entry(key));
      }
      try {
        await(transaction.commit());
        return true;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof OptimisticLockFailedException) || attempt == ATTEMPTS) {
          throw new StorageUnavailableException(e.getCause());
        }
      }
    }
  }

  private InstanceIdentifier<Entry> entry(String key) {
    return path.child(Entry.class, new EntryKey(key));
  }

  private static Entry entry(String key, String value, long version) {
    return new EntryBuilder()
        .setName(key)
        .setValue(value)
        .setVersion(Uint64.valueOf(version))
        .build();
  }

  private Optional<Store> read() {
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      return answer(transaction.read(datastore, path));
    }
  }

  private static long version(Store store) {
    return store.getVersion() == null ? 0 : store.getVersion().longValue();
  }

  private static Versioned versioned(Entry entry) {
    return Versioned.of(entry.getValue(), entry.getVersion().longValue());
  }

  private static <T> T answer(Future<T> future) {
    try {
      return await(future);
    } catch (ExecutionException e) {
      throw new StorageUnavailableException(e.getCause());
    }
  }

  private static <T> T await(Future<T> future) throws ExecutionException {
    try {
      return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new StorageUnavailableException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageUnavailableException(e);
    }
  }

  /** The datastore begins with what is there already, which is no change. */
  @Override
  public void addListener(Listener listener) {
    long seen = read().map(OdlMap::version).orElse(0L);
    listeners.put(
        listener,
        mdsal.listen(
            datastore, path.child(Entry.class), changes -> notify(listener, changes, seen)));
  }

  private static void notify(
      Listener listener, Collection<DataTreeModification<Entry>> changes, long seen) {
    for (DataTreeModification<Entry> change : changes) {
      Entry before = change.getRootNode().getDataBefore();
      Entry now = change.getRootNode().getDataAfter();
      if (before != null || now.getVersion().longValue() > seen) {
        listener.changed(
            (before == null ? now : before).getName(),
            Optional.ofNullable(before).map(OdlMap::versioned),
            Optional.ofNullable(now).map(OdlMap::versioned));
      }
    }
  }

  @Override
  public void removeListener(Listener listener) {
    Registration registration = listeners.remove(listener);
    if (registration != null) {
      registration.close();
    }
  }
}
