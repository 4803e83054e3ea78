// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.options.CompactOption;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.testing.ReplicatedMapConformance;
import org.sluice.core.testing.ShiftedExecution;

/** Two nodes with a real etcd. */
class EtcdClusterTest extends ReplicatedMapConformance {
  private static final String TOPIC = "topic";

  @TempDir private static Path directory;
  private static EtcdProcess process;

  /** Between the first node and etcd. */
  private static Relay relay;

  private static EtcdCluster first;
  private static EtcdCluster second;

  /** By how much the first node's time is ahead. */
  private static final AtomicLong aheadNanos = new AtomicLong();

  @BeforeAll
  static void start() throws Exception {
    process = new EtcdProcess(directory, "http");
    relay = new Relay(process.endpoint());
    first =
        new EtcdCluster(settings(relay.endpoint()), "first", new ShiftedExecution(aheadNanos::get));
    second = new EtcdCluster(settings(process.endpoint()), "second", new SystemExecution());
  }

  @AfterAll
  static void stop() throws Exception {
    first.close();
    second.close();
    relay.close();
    process.close();
  }

  private static EtcdSettings settings(URI endpoint) {
    return new EtcdSettings(
        List.of(endpoint),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @BeforeEach
  void empty() {
    storage().map("sluice-conformance").clear();
  }

  @AfterEach
  void withdraw() {
    first.leadership().withdraw(TOPIC);
    second.leadership().withdraw(TOPIC);
  }

  @Override
  protected ReplicatedStorage storage() {
    return first;
  }

  static void until(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).isNegative();
      Thread.sleep(10);
    }
  }

  @Test
  void nodesKnowEachOtherWhetherTheyRunOrNot() throws Exception {
    new EtcdCluster(settings(process.endpoint()), "third", new SystemExecution()).close();
    until(() -> first.all().containsAll(List.of("first", "second", "third")));
    assertThat(first.local()).isEqualTo("first");
  }

  @Test
  void oneReceivesWhatTheOtherWritesInItsOrder() throws Exception {
    BlockingQueue<Long> received = new LinkedBlockingQueue<>();
    second
        .map("order")
        .addListener((key, before, now) -> received.add(now.orElseThrow().version()));
    for (int i = 0; i < 50; i++) {
      first.map("order").put("key " + i % 3, String.valueOf(i));
    }
    List<Long> versions = new ArrayList<>();
    while (versions.size() < 50) {
      versions.add(received.poll(10, TimeUnit.SECONDS));
    }
    assertThat(versions).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aLeaderThatEndsIsFollowedByTheOtherInAHigherTerm() throws Exception {
    first.leadership().run(TOPIC);
    until(() -> first.leadership().isLocal(TOPIC));
    long term = first.leadership().localTerm(TOPIC).orElseThrow();
    long next;
    try (EtcdCluster third =
        new EtcdCluster(settings(process.endpoint()), "third", new SystemExecution())) {
      third.leadership().run(TOPIC);
      first.leadership().withdraw(TOPIC);
      assertThat(first.leadership().isLocal(TOPIC)).isFalse();
      until(() -> third.leadership().isLocal(TOPIC));
      next = third.leadership().localTerm(TOPIC).orElseThrow();
      assertThat(next).isGreaterThan(term);
      first.leadership().run(TOPIC);
    }
    until(() -> first.leadership().isLocal(TOPIC));
    assertThat(first.leadership().localTerm(TOPIC).orElseThrow()).isGreaterThan(next);
  }

  @Test
  void aLeaderThatIsCutOffStepsDownBeforeTheOtherOneLeads() throws Exception {
    first.leadership().run(TOPIC);
    until(() -> first.leadership().isLocal(TOPIC));
    second.leadership().run(TOPIC);
    long epoch = first.leadership().epoch().get();
    long term = first.leadership().localTerm(TOPIC).orElseThrow();

    assertThat(first.leadership().isVacant(TOPIC)).isFalse();
    relay.cut();
    until(
        () -> {
          // In this order: the second one does not stop leading in between.
          boolean hasSuccessor = second.leadership().isLocal(TOPIC);
          assertThat(hasSuccessor && first.leadership().isLocal(TOPIC)).isFalse();
          return hasSuccessor;
        });
    assertThat(second.leadership().localTerm(TOPIC).orElseThrow()).isGreaterThan(term);
    until(() -> first.leadership().epoch().get() > epoch);
    assertThat(first.leadership().isVacant(TOPIC)).isTrue();
    long away = first.leadership().epoch().get();

    relay.mend();
    until(() -> !first.leadership().isVacant(TOPIC));
    until(() -> first.leadership().epoch().get() > away);
    until(() -> canRead(first.map("any")));
    assertThat(first.leadership().isLocal(TOPIC)).isFalse();
  }

  @Test
  void aLeaderThatIsGoneIsFollowedWithoutWaitingForTheNextPeriod() throws Exception {
    first.leadership().run(TOPIC);
    until(() -> first.leadership().isLocal(TOPIC));
    try (EtcdCluster third =
        new EtcdCluster(settings(process.endpoint()), "third", new UnrepeatedExecution())) {
      CompletableFuture<Void> leads = new CompletableFuture<>();
      third
          .leadership()
          .epoch()
          .addListener(
              () -> {
                if (third.leadership().isLocal(TOPIC)) {
                  leads.complete(null);
                }
              });
      third.leadership().run(TOPIC);
      first.leadership().withdraw(TOPIC);
      leads.get(20, TimeUnit.SECONDS);
    }
  }

  /** What is to be repeated is done once. */
  private static final class UnrepeatedExecution extends ShiftedExecution {
    UnrepeatedExecution() {
      super(() -> 0);
    }

    @Override
    public ScheduledExecutorService sequential(String name) {
      return new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable command, long initialDelay, long delay, TimeUnit unit) {
          return schedule(command, initialDelay, unit);
        }
      };
    }
  }

  private static boolean canRead(ReplicatedMap map) {
    try {
      map.entries();
      return true;
    } catch (StorageUnavailableException e) {
      return false;
    }
  }

  @Test
  void withoutEtcdNobodyWritesOrLeadsAndItsReturnShowsWhatWasMissed() throws Exception {
    ReplicatedMap map = second.map("outage");
    map.put("kept", "1");
    map.put("removed", "1");
    Map<String, Optional<Versioned>> received = new ConcurrentHashMap<>();
    map.addListener((key, before, now) -> received.put(key, now));
    first.leadership().run(TOPIC);
    until(() -> first.leadership().isLocal(TOPIC));
    long version = map.get("kept").orElseThrow().version();

    process.kill();
    // Without anybody's help: its lease may be over now.
    aheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(first.leadership().isLocal(TOPIC)).isFalse();
    assertThatThrownBy(() -> map.put("kept", "2"))
        .isInstanceOf(StorageUnavailableException.class)
        .hasMessageContaining(process.endpoint().toString());

    process.start();
    try (Etcd other = new Etcd(settings(process.endpoint()), 3000)) {
      ReplicatedMap others =
          new EtcdMap(other, "/sluice/maps/outage/", new SystemExecution().sequential("other"));
      until(() -> canRead(others));
      others.remove("removed");
      others.put("new", "1");
      // Etcd forgets what lies between.
      long now = others.get("new").orElseThrow().version();
      other.answer(other.keys().compact(now, CompactOption.DEFAULT));
      others.put("later", "1");
    }
    until(() -> received.containsKey("later") && received.containsKey("new"));
    assertThat(received.get("removed")).isEmpty();
    assertThat(received).doesNotContainKey("kept");
    until(() -> map.get("kept").isPresent());
    assertThat(map.replace("kept", version, "2")).isTrue();
    until(() -> first.leadership().isLocal(TOPIC));
  }
}
