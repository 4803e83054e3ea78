// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.forwarding.parts.StoreTasks;
import org.sluice.odl.Datapaths;
import org.sluice.odl.Ownership;

/**
 * Mastership as openflowplugin announces it to this node, and as the nodes write it down for each
 * other. The version of an entry is the number of the takeover.
 */
final class OdlMastership implements Mastership, Ownership, ReplicatedMap.Listener {
  private final String node;
  private final ReplicatedMap shared;
  private final StoreTasks tasks;
  private final Consumer<String> masterChanged;
  private final Epoch epoch = new Epoch();
  private final Set<String> local = ConcurrentHashMap.newKeySet();
  private final Map<String, ReplicatedMap.Versioned> masters = new ConcurrentHashMap<>();

  /**
   * Master of nothing.
   *
   * @param node this one's name
   * @param shared the cluster's map of switches to masters
   * @param writer runs writes to it, one after the other
   * @param masterChanged receives switches that may have another master
   */
  OdlMastership(
      String node, ReplicatedMap shared, Executor writer, Consumer<String> masterChanged) {
    this.node = node;
    this.shared = shared;
    tasks = new StoreTasks(writer, "The nodes do not learn who is a switch's master");
    this.masterChanged = masterChanged;
  }

  void start() {
    tasks.follow(shared, this);
  }

  void stop() {
    shared.removeListener(this);
  }

  @Override
  public void changed(
      String datapath,
      Optional<ReplicatedMap.Versioned> before,
      Optional<ReplicatedMap.Versioned> now) {
    if (now.isPresent()) {
      masters.put(datapath, now.get());
    } else {
      masters.remove(datapath);
    }
    notifyOf(datapath);
  }

  @Override
  public void won(String nodeId) {
    Datapaths.datapath(nodeId)
        .ifPresent(
            datapath -> {
              local.add(datapath);
              notifyOf(datapath);
              tasks.execute(() -> shared.put(datapath, node));
            });
  }

  @Override
  public void lost(String nodeId) {
    Datapaths.datapath(nodeId)
        .ifPresent(
            datapath -> {
              local.remove(datapath);
              notifyOf(datapath);
              tasks.execute(() -> withdraw(datapath));
            });
  }

  /** What another node has written meanwhile stays. */
  private void withdraw(String datapath) {
    shared
        .get(datapath)
        .filter(entry -> entry.value().equals(node) && !local.contains(datapath))
        .ifPresent(entry -> shared.remove(datapath, entry.version()));
  }

  private void notifyOf(String datapath) {
    epoch.advance();
    masterChanged.accept(datapath);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public boolean isLocal(String datapath) {
    return local.contains(datapath);
  }

  @Override
  public Optional<String> masterOf(String datapath) {
    return local.contains(datapath)
        ? Optional.of(node)
        : Optional.ofNullable(masters.get(datapath))
            .map(ReplicatedMap.Versioned::value)
            .filter(name -> !name.equals(node));
  }

  @Override
  public long takeover(String datapath) {
    ReplicatedMap.Versioned entry = masters.get(datapath);
    return entry == null ? 0 : entry.version();
  }
}
