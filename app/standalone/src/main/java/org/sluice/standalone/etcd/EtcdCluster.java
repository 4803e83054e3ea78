// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import io.etcd.jetcd.common.exception.ErrorCode;
import java.io.IOException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * The nodes that share an etcd. A node belongs to them from its first start on, until its key below
 * {@code /sluice/maps/nodes/} is removed.
 */
public final class EtcdCluster implements ClusterNodes, ReplicatedStorage, AutoCloseable {
  static final String PREFIX = "/sluice/";

  /** Longer than etcd takes to elect another leader of its own. */
  private static final long STORAGE_MILLIS = 3000;

  /** So short that several calls fit into a lease, should one member of etcd not answer. */
  private static final long LEASE_MILLIS = 600;

  private static final Set<ErrorCode> MAY_PASS =
      EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED);

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Etcd etcd;
  private final ScheduledExecutorService notifier;
  private final Map<String, EtcdMap> maps = new ConcurrentHashMap<>();
  private final EtcdLeadership leadership;
  private final String node;
  private final Set<String> nodes = new ConcurrentSkipListSet<>();

  /**
   * Joins.
   *
   * @param node this one's name, which no other has
   * @throws IOException if etcd does not answer for 15 s, with the remedy
   */
  public EtcdCluster(EtcdSettings settings, String node, Execution execution) throws IOException {
    this.node = node;
    notifier = execution.sequential("etcd-listeners");
    nodes.add(node);
    etcd = new Etcd(settings, STORAGE_MILLIS);
    try {
      join();
    } catch (StorageUnavailableException e) {
      notifier.shutdownNow();
      etcd.close();
      throw new IOException(e.getMessage(), e);
    }
    leadership = new EtcdLeadership(new Etcd(settings, LEASE_MILLIS), node, execution, notifier);
  }

  private void join() {
    long begin = System.nanoTime();
    ReplicatedMap members = map("nodes");
    while (true) {
      try {
        members.putIfAbsent(node, "");
        members.addListener(this::memberChanged);
        nodes.addAll(members.entries().keySet());
        return;
      } catch (StorageUnavailableException e) {
        // It may be starting, too, unless it has refused.
        if (!MAY_PASS.contains(Etcd.code(e)) || System.nanoTime() - begin > PATIENCE_NANOS) {
          throw e;
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  private void memberChanged(String name, Optional<Versioned> before, Optional<Versioned> now) {
    if (now.isPresent()) {
      nodes.add(name);
    } else if (!name.equals(node)) {
      nodes.remove(name);
    }
  }

  @Override
  public ReplicatedMap map(String name) {
    return maps.computeIfAbsent(name, n -> new EtcdMap(etcd, PREFIX + "maps/" + n + "/", notifier));
  }

  public Leadership leadership() {
    return leadership;
  }

  @Override
  public String local() {
    return node;
  }

  @Override
  public Collection<String> all() {
    return nodes;
  }

  @Override
  public void close() {
    leadership.close();
    notifier.shutdownNow();
    etcd.close();
  }
}
