// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.NetworkTopology;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.odl.DataBrokers;
import org.sluice.odl.line.Mdsal;

class OdlMapTest {
  private final Mdsal mdsal = DataBrokers.mdsal();
  private final OdlStorage storage = new OdlStorage(mdsal, LogicalDatastoreType.CONFIGURATION);
  private final ReplicatedMap map = storage.map("tenants");

  @Test
  void versionsGrowWithEveryWriteToTheMap() {
    long first = made();
    map.put("b", "1");
    map.remove("b");
    map.put("b", "2");

    assertThat(map.get("a")).contains(Versioned.of("1", first));
    assertThat(map.get("b")).contains(Versioned.of("2", first + 3));
    assertThat(map.entries()).containsOnlyKeys("a", "b");
  }

  /** The version of a, "1", in a map that had nothing. */
  private long made() {
    assertThat(map.putIfAbsent("a", "1")).isTrue();
    return map.get("a").orElseThrow().version();
  }

  @Test
  void removedMapsUseNoVersionAgain() {
    long first = made();
    map.put("a", "2");
    ReplicatedMap emptied = storage.map("emptied");
    emptied.put("a", "1");
    emptied.clear();
    storage.map("policies").put("a", "1");
    storage.remove(Set.of("sluice-tenants"));

    assertThat(topologies()).containsExactly("sluice-policies");
    assertThat(map.entries()).isEmpty();
    assertThat(made()).isGreaterThan(first);
  }

  private Set<String> topologies() {
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      return Futures.getUnchecked(
              transaction.read(
                  LogicalDatastoreType.CONFIGURATION,
                  InstanceIdentifier.create(NetworkTopology.class)))
          .orElseThrow()
          .nonnullTopology()
          .values()
          .stream()
          .map(each -> each.getTopologyId().getValue())
          .collect(Collectors.toSet());
    }
  }

  @Test
  void oneWritesOnlyWhatStandsAsItBelieves() {
    long first = made();
    assertThat(map.putIfAbsent("a", "2")).isFalse();
    assertThat(map.replace("a", first + 7, "3")).isFalse();
    assertThat(map.replace("a", first, "3")).isTrue();
    assertThat(map.remove("a", first)).isFalse();
    assertThat(map.remove("a", first + 1)).isTrue();
    assertThat(map.get("a")).isEmpty();
  }

  @Test
  void mapsAreApart() {
    long first = made();
    ReplicatedMap other = storage.map("policies");
    other.put("a", "2");
    other.clear();

    assertThat(map.get("a")).contains(Versioned.of("1", first));
    assertThat(other.entries()).isEmpty();
    assertThat(storage.map("tenants").get("a")).isPresent();
  }

  @Test
  void ofManyWhoReplaceTheSameVersionOneSucceeds() throws Exception {
    long first = made();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Boolean>> writers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String value = "writer " + i;
        writers.add(() -> map.replace("a", first, value));
      }
      int successes = 0;
      for (Future<Boolean> written : threads.invokeAll(writers)) {
        successes += written.get() ? 1 : 0;
      }
      assertThat(successes).isEqualTo(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aListenerReceivesWhatChangesAndNotWhatStood() throws Exception {
    map.put("old", "1");
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    ReplicatedMap.Listener listener =
        (key, before, now) -> received.add(key + " " + value(before) + " " + value(now));
    map.addListener(listener);
    map.put("a", "1");
    map.put("a", "2");
    map.remove("a");
    map.put("old", "2");

    List<String> all = new ArrayList<>();
    while (all.size() < 4) {
      all.add(received.poll(10, TimeUnit.SECONDS));
    }
    map.removeListener(listener);
    map.put("a", "3");
    assertThat(all).containsExactly("a - 1", "a 1 2", "a 2 -", "old 1 2");
    assertThat(received).isEmpty();
  }

  private static String value(Optional<Versioned> entry) {
    return entry.map(Versioned::value).orElse("-");
  }
}
