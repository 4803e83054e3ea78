// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import static org.sluice.standalone.etcd.Etcd.bytes;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * The leader of a topic is who made its key in etcd, as long as the lease lasts that the key is
 * bound to. A term is the revision in which the key was made. This node counts its lease from
 * before it asked for it, so that it steps down before etcd lets another one lead. Thread-safe.
 */
final class EtcdLeadership implements Leadership, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EtcdLeadership.class);
  private static final long LEASE_SECONDS = 2;

  /** Less than the lease, by more than two clocks differ in their speed. */
  private static final long COUNTED_NANOS = TimeUnit.MILLISECONDS.toNanos(1800);

  private static final long PERIOD_MILLIS = 250;
  private static final long NO_LEASE = 0;
  private static final String LEADERS = EtcdCluster.PREFIX + "leaders/";

  private final Etcd etcd;
  private final String node;
  private final Clock clock;
  private final ScheduledExecutorService worker;
  private final ScheduledExecutorService watchdog;
  private final Epoch epoch = new Epoch();
  private final Set<String> topics = ConcurrentHashMap.newKeySet();

  /** What this node leads until {@code untilNanos}, by topic. */
  private record Terms(Map<String, Long> byTopic, long untilNanos) {}

  private static final Terms NOTHING = new Terms(Map.of(), 0);

  private volatile Terms terms = NOTHING;

  /** Until then this node knows who leads. */
  private volatile long knownUntilNanos;

  // Worker only:
  private final Set<String> contended = new HashSet<>();
  private long lease = NO_LEASE;
  private long untilNanos;

  /**
   * Contends for nothing yet.
   *
   * @param notifier is notified by etcd when a leader's key goes
   */
  EtcdLeadership(Etcd etcd, String node, Execution execution, ScheduledExecutorService notifier) {
    this.etcd = etcd;
    this.node = node;
    clock = execution.clock();
    knownUntilNanos = clock.nanoTime();
    worker = execution.sequential("etcd-leadership");
    // The worker may wait for etcd when the lease ends.
    watchdog = execution.sequential("etcd-lease");
    worker.scheduleWithFixedDelay(this::cycle, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    watchdog.scheduleWithFixedDelay(this::expire, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    new EtcdMap(etcd, LEADERS, notifier)
        .addListener((topic, before, now) -> contendIfVacant(now.isEmpty()));
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void run(String topic) {
    topics.add(topic);
    worker.execute(this::cycle);
  }

  @Override
  public void withdraw(String topic) {
    if (topics.remove(topic)) {
      publish(now -> new Terms(now.byTopic, now.untilNanos));
      worker.execute(this::cycle);
    }
  }

  @Override
  public OptionalLong localTerm(String topic) {
    Terms now = terms;
    Long term = now.byTopic.get(topic);
    return term == null || isOver(now) ? OptionalLong.empty() : OptionalLong.of(term);
  }

  @Override
  public boolean isVacant(String topic) {
    return isUnknown();
  }

  private boolean isUnknown() {
    return clock.nanoTime() - knownUntilNanos >= 0;
  }

  private ByteSequence key(String topic) {
    return bytes(LEADERS + topic);
  }

  /** A leader that is gone has not to wait for the next period. */
  private void contendIfVacant(boolean isVacant) {
    if (isVacant && !worker.isShutdown()) {
      worker.execute(this::cycle);
    }
  }

  private void cycle() {
    try {
      renew();
      Map<String, Long> led = new TreeMap<>();
      for (String topic : topics) {
        contend(topic).ifPresent(term -> led.put(topic, term));
      }
      publish(now -> new Terms(led, untilNanos));
      boolean wasUnknown = isUnknown();
      knownUntilNanos = untilNanos;
      if (wasUnknown) {
        epoch.advance();
      }
      for (String topic : Set.copyOf(contended)) {
        if (!topics.contains(topic)) {
          release(topic);
        }
      }
    } catch (StorageUnavailableException e) {
      log.debug("The lease was not renewed", e);
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("The lease was not renewed; retrying", e);
    }
  }

  private void renew() {
    long before = clock.nanoTime();
    if (lease != NO_LEASE && !isKept(lease)) {
      lease = NO_LEASE;
      knownUntilNanos = before;
      publish(now -> NOTHING);
    }
    if (lease == NO_LEASE) {
      lease = etcd.answer(etcd.client().getLeaseClient().grant(LEASE_SECONDS)).getID();
    }
    untilNanos = before + COUNTED_NANOS;
    // What is led already does not wait for what is to be found out yet.
    publish(now -> new Terms(now.byTopic, untilNanos));
  }

  /** Renews a lease, unless etcd has ended it. */
  private boolean isKept(long some) {
    try {
      etcd.answer(etcd.client().getLeaseClient().keepAliveOnce(some));
      return true;
    } catch (StorageUnavailableException e) {
      if (Etcd.code(e) == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** The revision in which this node made the topic's key; empty: another one holds it. */
  private Optional<Long> contend(String topic) {
    Optional<KeyValue> holder = holder(topic);
    if (holder.isEmpty()) {
      contended.add(topic);
      Cmp isAbsent = new Cmp(key(topic), Cmp.Op.EQUAL, CmpTarget.createRevision(0));
      PutOption bound = PutOption.builder().withLeaseId(lease).build();
      etcd.answer(
          etcd.keys().txn().If(isAbsent).Then(Op.put(key(topic), bytes(node), bound)).commit());
      holder = holder(topic);
    }
    return holder.filter(entry -> entry.getLease() == lease).map(KeyValue::getCreateRevision);
  }

  private Optional<KeyValue> holder(String topic) {
    return etcd.answer(etcd.keys().get(key(topic))).getKvs().stream().findFirst();
  }

  private void release(String topic) {
    Optional<KeyValue> own = holder(topic).filter(entry -> entry.getLease() == lease);
    if (own.isPresent()) {
      Cmp isOwn =
          new Cmp(
              key(topic), Cmp.Op.EQUAL, CmpTarget.createRevision(own.get().getCreateRevision()));
      etcd.answer(
          etcd.keys().txn().If(isOwn).Then(Op.delete(key(topic), DeleteOption.DEFAULT)).commit());
    }
    contended.remove(topic);
  }

  private void expire() {
    Terms now = terms;
    if (!now.byTopic.isEmpty() && isOver(now)) {
      log.warn("This node leads {} no longer: etcd does not answer", now.byTopic.keySet());
      publish(then -> isOver(then) ? NOTHING : then);
    }
  }

  private boolean isOver(Terms some) {
    return clock.nanoTime() - some.untilNanos >= 0;
  }

  private void publish(UnaryOperator<Terms> change) {
    boolean isOther;
    synchronized (this) {
      Terms before = terms;
      Terms after = change.apply(before);
      Map<String, Long> wanted = new TreeMap<>(after.byTopic);
      wanted.keySet().retainAll(topics);
      terms = new Terms(wanted, after.untilNanos);
      isOther = !wanted.equals(before.byTopic);
    }
    if (isOther) {
      epoch.advance();
    }
  }

  /** Lets others lead at once. */
  @Override
  public void close() {
    topics.clear();
    publish(now -> NOTHING);
    watchdog.shutdownNow();
    worker.execute(
        () -> {
          if (lease != NO_LEASE) {
            etcd.answer(etcd.client().getLeaseClient().revoke(lease));
          }
        });
    worker.shutdown();
    try {
      worker.awaitTermination(LEASE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    etcd.close();
  }
}
