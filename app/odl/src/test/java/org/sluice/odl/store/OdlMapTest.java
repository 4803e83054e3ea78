// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
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
    map.put("a", "1");
    map.put("b", "1");
    map.remove("b");
    map.put("b", "2");

    assertThat(map.get("a")).contains(Versioned.of("1", 1));
    assertThat(map.get("b")).contains(Versioned.of("2", 4));
    assertThat(map.entries()).containsOnlyKeys("a", "b");
  }

  @Test
  void oneWritesOnlyWhatStandsAsItBelieves() {
    assertThat(map.putIfAbsent("a", "1")).isTrue();
    assertThat(map.putIfAbsent("a", "2")).isFalse();
    assertThat(map.replace("a", 7, "3")).isFalse();
    assertThat(map.replace("a", 1, "3")).isTrue();
    assertThat(map.remove("a", 1)).isFalse();
    assertThat(map.remove("a", 2)).isTrue();
    assertThat(map.get("a")).isEmpty();
  }

  @Test
  void mapsAreApart() {
    map.put("a", "1");
    ReplicatedMap other = storage.map("policies");
    other.put("a", "2");
    other.clear();

    assertThat(map.get("a")).contains(Versioned.of("1", 1));
    assertThat(other.entries()).isEmpty();
    assertThat(storage.map("tenants").get("a")).isPresent();
  }

  @Test
  void ofManyWhoReplaceTheSameVersionOneSucceeds() throws Exception {
    map.put("a", "0");
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Boolean>> writers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String value = "writer " + i;
        writers.add(() -> map.replace("a", 1, value));
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
