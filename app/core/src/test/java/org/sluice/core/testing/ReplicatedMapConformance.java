// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;

/** What maps of a storage promise. */
public abstract class ReplicatedMapConformance {

  /** The storage under test: the same one during a test, without maps at its beginning. */
  protected abstract ReplicatedStorage storage();

  private ReplicatedMap map() {
    return storage().map("sluice-conformance");
  }

  /** The version of a, "1", in a map that had nothing. */
  private long made() {
    assertThat(map().putIfAbsent("a", "1")).isTrue();
    return map().get("a").orElseThrow().version();
  }

  private static long version(ReplicatedMap map, String key) {
    return map.get(key).orElseThrow().version();
  }

  @Test
  void versionsGrowWithEveryWriteToTheMap() {
    ReplicatedMap map = map();
    long first = made();
    assertThat(first).isPositive();
    map.put("b", "1");
    long second = version(map, "b");
    map.remove("b");
    map.put("b", "2");
    long third = version(map, "b");
    map.clear();
    map.put("a", "1");

    assertThat(second).isGreaterThan(first);
    assertThat(third).isGreaterThan(second);
    assertThat(version(map, "a")).isGreaterThan(third);
    assertThat(map.entries()).isEqualTo(Map.of("a", map.get("a").orElseThrow()));
  }

  @Test
  void oneWritesOnlyWhatStandsAsItBelieves() {
    ReplicatedMap map = map();
    long first = made();
    assertThat(map.putIfAbsent("a", "2")).isFalse();
    assertThat(map.replace("a", first + 7, "3")).isFalse();
    assertThat(map.replace("b", first, "3")).isFalse();
    assertThat(map.replace("a", first, "3")).isTrue();
    assertThat(map.remove("a", first)).isFalse();
    assertThat(map.get("a").map(Versioned::value)).contains("3");
    assertThat(map.remove("a", version(map, "a"))).isTrue();
    assertThat(map.get("a")).isEmpty();
    map.remove("a");
  }

  @Test
  void mapsAreApart() {
    long first = made();
    ReplicatedMap longer = storage().map("sluice-conformance-2");
    longer.put("a", "2");
    longer.clear();

    assertThat(map().get("a")).contains(Versioned.of("1", first));
    assertThat(longer.entries()).isEmpty();
  }

  @Test
  void ofManyWhoReplaceTheSameVersionOneSucceeds() throws Exception {
    ReplicatedMap map = map();
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
    ReplicatedMap map = map();
    map.put("old", "1");
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    ReplicatedMap.Listener listener =
        (key, before, now) -> received.add(key + " " + value(before) + " " + value(now));
    map.addListener(listener);
    map.put("a", "1");
    map.put("a", "2");
    map.remove("a");
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
