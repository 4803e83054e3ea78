// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.onosproject.store.service.StorageException;
import org.onosproject.store.service.StorageService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;

/** Keeps the engine's thread and the cluster's store of one mind, and the store tidy. */
final class StoreKeeper implements FlowStore.Listener {
  private static final Logger log = LoggerFactory.getLogger(StoreKeeper.class);

  /** Other nodes see an end for themselves before its entry goes. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long ORPHANED_MICROS = TimeUnit.SECONDS.toMicros(60);

  private final FlowStore store;
  private final EngineDesk desk;
  private final FlowHistory history;
  private final WallClock clock;
  private final BooleanSupplier leads;
  private long sweptNanos = System.nanoTime();
  private volatile boolean stopped;

  /**
   * One that does not listen yet.
   *
   * @param leads whether this node tidies up for all
   */
  StoreKeeper(
      StorageService storage,
      EngineDesk desk,
      FlowHistory history,
      WallClock clock,
      BooleanSupplier leads) {
    this.store = new FlowStore(storage, this);
    this.desk = desk;
    this.history = history;
    this.clock = clock;
    this.leads = leads;
  }

  FlowStore store() {
    return store;
  }

  /** Nothing is looked after any longer. */
  void stop() {
    stopped = true;
  }

  /**
   * Takes in what the store says.
   *
   * @param wallMicros the time of day now
   */
  void tell(StoredFlow flow, long wallMicros) {
    desk.post(false, (engine, now) -> engine.stored(flow, wallMicros, now));
  }

  /** Takes in all that is stored. */
  void load() {
    try {
      store.flows().forEach(this::stored);
    } catch (StorageException e) {
      log.warn("Registered flows are not known yet: {}", e.toString());
    }
  }

  @Override
  public void stored(StoredFlow flow) {
    tell(flow, clock.micros());
  }

  @Override
  public void removed(StoredFlow flow) {
    desk.post(true, (engine, now) -> engine.registrations().remove(flow.id(), now));
  }

  /** Entries of those that have ended go, one node for all. */
  void lookAfter() {
    if (stopped) {
      return;
    }
    long now = System.nanoTime();
    List<Long> ended = history.takeEndedBefore(now - SETTLE_NANOS);
    if (!leads.getAsBoolean()) {
      return;
    }
    ended.forEach(store::remove);
    if (now - sweptNanos > TimeUnit.MICROSECONDS.toNanos(ORPHANED_MICROS)) {
      sweptNanos = now;
      long orphaned = clock.micros() - ORPHANED_MICROS;
      for (StoredFlow flow : store.flows()) {
        if (flow.deadlineMicros() < orphaned && !isActive(flow.id())) {
          store.remove(flow.id());
        }
      }
    }
  }

  private boolean isActive(long id) {
    try {
      return desk.ask((engine, now) -> engine.registrations().flow(id, now))
          .filter(flow -> !flow.state().isEnded())
          .isPresent();
    } catch (SluiceException e) {
      return true; // Nobody knows: it stays until somebody does.
    }
  }
}
