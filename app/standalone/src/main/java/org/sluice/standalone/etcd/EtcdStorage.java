// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.sluice.core.spi.ReplicatedStorage;

/** Maps in etcd, each below a prefix of its own. Thread-safe. */
final class EtcdStorage implements ReplicatedStorage, AutoCloseable {
  private final Etcd etcd;
  private final Map<String, EtcdMap> maps = new ConcurrentHashMap<>();
  private final ScheduledExecutorService notifier = EtcdCluster.sequential("etcd-listeners");

  EtcdStorage(Etcd etcd) {
    this.etcd = etcd;
  }

  @Override
  public EtcdMap map(String name) {
    return maps.computeIfAbsent(
        name, n -> new EtcdMap(etcd, EtcdCluster.PREFIX + "maps/" + n + "/", notifier));
  }

  @Override
  public void close() {
    notifier.shutdownNow();
  }
}
