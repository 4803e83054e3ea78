// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.opendaylight.mdsal.binding.api.DataObjectModification;
import org.opendaylight.mdsal.binding.api.ReadOperations;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.common.api.OptimisticLockFailedException;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.NetworkTopology;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.NodeId;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.TopologyId;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.TpId;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.Topology;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.TopologyBuilder;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.TopologyKey;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.topology.Node;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.topology.NodeBuilder;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.topology.NodeKey;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.topology.node.TerminationPoint;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.topology.node.TerminationPointBuilder;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.odl.line.Mdsal;

/**
 * A map in a datastore: the topology {@code sluice-NAME}, whose nodes are its entries, with one
 * termination point each, {@code VERSION VALUE}. With a YANG model of our own OpenDaylight would
 * start its OpenFlow plugin and RESTCONF anew whenever Sluice is installed or removed.
 *
 * <p>A map that is made anew, after Sluice was removed, begins with the time as its version, so
 * that none is used twice.
 *
 * <p>Every write changes the map's version too, so that of two writes at the same time the
 * datastore refuses one, and that one is done again on what the other has left.
 */
final class OdlMap implements ReplicatedMap {
  private static final long TIMEOUT_SECONDS = 10;
  private static final int ATTEMPTS = 100;
  static final String PREFIX = "sluice-";

  /** Begins the names of entries. */
  private static final String ENTRY = "entry:";

  /** Of a map that is not there. */
  private static final long NONE = 0;

  private static final NodeKey VERSION = new NodeKey(new NodeId("version"));

  private final Mdsal mdsal;
  private final LogicalDatastoreType datastore;
  private final TopologyId id;
  private final InstanceIdentifier<Topology> path;
  private final Map<Listener, Registration> listeners = new ConcurrentHashMap<>();

  OdlMap(Mdsal mdsal, LogicalDatastoreType datastore, String name) {
    this.mdsal = mdsal;
    this.datastore = datastore;
    id = new TopologyId(name.startsWith(PREFIX) ? name : PREFIX + name);
    path =
        InstanceIdentifier.builder(NetworkTopology.class)
            .child(Topology.class, new TopologyKey(id))
            .build();
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
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      answer(transaction.read(datastore, path))
          .ifPresent(
              topology ->
                  topology
                      .nonnullNode()
                      .values()
                      .forEach(
                          node -> key(node).ifPresent(key -> found.put(key, versioned(node)))));
    }
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
      long last = version(transaction);
      long version = last == NONE ? System.currentTimeMillis() : last + 1;
      Optional<Versioned> before =
          answer(transaction.read(datastore, entry(key))).map(OdlMap::versioned);
      if (!condition.test(before)) {
        transaction.cancel();
        return false;
      }
      if (last == NONE) {
        transaction.merge(datastore, path, new TopologyBuilder().setTopologyId(id).build());
      }
      put(transaction, VERSION, version, "");
      if (value.isPresent()) {
        put(transaction, nodeKey(key), version, value.get());
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

  private static NodeKey nodeKey(String key) {
    return new NodeKey(new NodeId(ENTRY + key));
  }

  private InstanceIdentifier<Node> entry(String key) {
    return path.child(Node.class, nodeKey(key));
  }

  private void put(ReadWriteTransaction transaction, NodeKey key, long version, String value) {
    TerminationPoint held =
        new TerminationPointBuilder().setTpId(new TpId(version + " " + value)).build();
    transaction.put(
        datastore,
        path.child(Node.class, key),
        new NodeBuilder()
            .setNodeId(key.getNodeId())
            .setTerminationPoint(Map.of(held.key(), held))
            .build());
  }

  private long version(ReadOperations transaction) {
    return answer(transaction.read(datastore, path.child(Node.class, VERSION)))
        .map(node -> versioned(node).version())
        .orElse(NONE);
  }

  static boolean isEmpty(Topology topology) {
    return topology.nonnullNode().values().stream().allMatch(node -> key(node).isEmpty());
  }

  /** Of an entry; empty: it is none. */
  private static Optional<String> key(Node node) {
    String name = node.getNodeId().getValue();
    return name.startsWith(ENTRY) ? Optional.of(name.substring(ENTRY.length())) : Optional.empty();
  }

  private static Versioned versioned(Node node) {
    String held = node.nonnullTerminationPoint().values().iterator().next().getTpId().getValue();
    int end = held.indexOf(' ');
    return Versioned.of(held.substring(end + 1), Long.parseLong(held.substring(0, end)));
  }

  static <T> T answer(Future<T> future) {
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
    long seen;
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      seen = version(transaction);
    }
    listeners.put(
        listener,
        mdsal.listen(
            datastore,
            path.child(Node.class),
            changes -> changes.forEach(change -> notify(listener, change.getRootNode(), seen))));
  }

  private static void notify(Listener listener, DataObjectModification<Node> change, long seen) {
    Optional<Node> before = Optional.ofNullable(change.getDataBefore());
    Optional<Node> now = Optional.ofNullable(change.getDataAfter());
    Optional<String> key = before.or(() -> now).flatMap(OdlMap::key);
    if (key.isPresent()
        && (before.isPresent() || now.map(OdlMap::versioned).orElseThrow().version() > seen)) {
      listener.changed(key.get(), before.map(OdlMap::versioned), now.map(OdlMap::versioned));
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
