// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;
import org.sluice.core.cluster.ClusterClock;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Clock;
import org.sluice.core.spi.StorageUnavailableException;

/** Keeps the engine thread's registrations and the cluster's store in step, and the store tidy. */
final class StoreSync implements FlowStore.Listener {
  private static final Logger log = LoggerFactory.getLogger(StoreSync.class);

  /** Other nodes see an end for themselves before its entry goes. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long ORPHANED_MICROS = TimeUnit.SECONDS.toMicros(60);

  private final EngineInbox inbox;
  private final DeadlineLoop loop;
  private final FlowHistory history;
  private final Clock clock;
  private final ClusterClock clusterClock;
  private final BooleanSupplier leads;
  private FlowStore store;
  private long sweptNanos;
  private volatile boolean stopped;
  private volatile boolean isBehind;

  /**
   * One that listens to no store yet.
   *
   * @param leads whether this node tidies up for all
   */
  StoreSync(
      EngineInbox inbox,
      DeadlineLoop loop,
      FlowHistory history,
      Clock clock,
      ClusterClock clusterClock,
      BooleanSupplier leads) {
    this.inbox = inbox;
    this.loop = loop;
    this.history = history;
    this.clock = clock;
    this.clusterClock = clusterClock;
    this.leads = leads;
    this.sweptNanos = clock.nanoTime();
  }

  void setStore(FlowStore value) {
    store = value;
  }

  /** The store is not tidied any longer. */
  void stop() {
    stopped = true;
  }

  /** Takes in all that is stored, once the cluster's time is known. */
  void load() {
    try {
      store.flows().forEach(this::stored);
    } catch (StorageUnavailableException e) {
      log.warn("Registered flows could not be read from the store yet: {}", e.toString());
    }
  }

  @Override
  public void stored(StoredFlow flow) {
    if (clusterClock.isAgreed()) { // Until then it could not be said when it is due.
      inbox.post(now -> loop.stored(flow, clusterClock.micros(), now));
    }
  }

  @Override
  public void removed(StoredFlow flow) {
    inbox.postUrgent(now -> loop.registrations().remove(flow.id(), now));
  }

  /** What this node was not notified of is made up for when the store is tidied next. */
  void reloadSoon() {
    isBehind = true;
  }

  /**
   * Takes in what is stored, and removes what is not any longer. This node must not be about to
   * write what it has decided.
   */
  private void reload() throws SluiceException {
    Set<Long> gone = inbox.call(now -> loop.registrations().ids());
    List<StoredFlow> present = store.flows();
    present.forEach(flow -> gone.remove(flow.id()));
    present.forEach(this::stored);
    gone.forEach(id -> inbox.postUrgent(now -> loop.registrations().remove(id, now)));
  }

  /**
   * Removes entries of those that have ended, one node for all, and makes up for what this node was
   * not notified of. On the thread that decides about registrations.
   */
  void tidy() {
    if (isBehind) {
      isBehind = false;
      try {
        reload();
      } catch (SluiceException | StorageUnavailableException e) {
        isBehind = true;
        log.warn("Registered flows could not be read again yet: {}", e.toString());
      }
    }
    if (!stopped) {
      removeEnded();
    }
  }

  private void removeEnded() {
    long now = clock.nanoTime();
    List<Long> ended = history.takeEndedBefore(now - SETTLE_NANOS);
    if (!leads.getAsBoolean() || !clusterClock.isAgreed()) {
      return;
    }
    ended.forEach(store::remove);
    if (now - sweptNanos > TimeUnit.MICROSECONDS.toNanos(ORPHANED_MICROS)) {
      sweptNanos = now;
      long orphaned = clusterClock.micros() - ORPHANED_MICROS;
      for (StoredFlow flow : store.flows()) {
        if (flow.deadlineMicros() < orphaned && !isActive(flow.id())) {
          store.remove(flow.id());
        }
      }
    }
  }

  private boolean isActive(long id) {
    try {
      return inbox
          .call(now -> loop.registrations().flow(id, now))
          .filter(flow -> !flow.state().isEnded())
          .isPresent();
    } catch (SluiceException e) {
      return true; // It stays until the engine can answer.
    }
  }
}
