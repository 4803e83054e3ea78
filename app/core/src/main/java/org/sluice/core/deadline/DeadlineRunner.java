// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowKey;
import org.sluice.core.cluster.ClusterClock;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.loop.EngineLoop;
import org.sluice.core.profile.FlowReporting;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Flows with deadlines on this node: joins the cluster's store, the engine thread and the hosts.
 */
public final class DeadlineRunner
    implements EngineLoop.Part, FlowReporting, RegisteredFlows, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(DeadlineRunner.class);

  private final Settings settings;
  private final DeadlineContext context;
  private final EngineInbox inbox;
  private final Execution execution;
  private final ClusterClock clusterClock;
  private final Epoch demand = new Epoch();
  private final Epoch registrations = new Epoch();
  private final DeadlineLoop loop;
  private final FlowStore store;
  private final StoreSync sync;
  private final Registrar registrar;
  private final FlowManager manager;
  private final BooleanSupplier leads;
  private final Runnable loadSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::load);
  private ScheduledExecutorService executor;
  private HostReports hosts;
  private volatile Set<FlowKey> registered = Set.of();
  private volatile boolean wanted;

  public DeadlineRunner(
      Settings settings,
      DeadlineContext context,
      EngineInbox inbox,
      Leadership leadership,
      ReplicatedStorage storage,
      ClusterClock clusterClock,
      JournalWriter journal,
      Execution execution) {
    this.settings = settings;
    this.context = context;
    this.inbox = inbox;
    this.execution = execution;
    this.clusterClock = clusterClock;
    this.leads = () -> leadership.isLocal(Topics.CLUSTER);
    FlowHistory history = new FlowHistory();
    FlowJournal flowJournal =
        new FlowJournal(journal, context.endpoints, settings::parameters, execution.clock());
    loop = new DeadlineLoop(context, settings, history, flowJournal);
    sync = new StoreSync(inbox, loop, history, execution.clock(), clusterClock, leads);
    store = new FlowStore(storage, execution, sync);
    sync.setStore(store);
    registrar =
        new Registrar(store, inbox, loop, flowJournal, execution, clusterClock, leads, sync::tidy);
    loop.setReviewer(registrar::review);
    manager =
        new FlowManager(
            settings,
            registrar,
            store,
            inbox,
            loop,
            history,
            flowJournal,
            execution,
            clusterClock::micros);
  }

  /** Registrations, for whoever requests some. */
  public FlowManager manager() {
    return manager;
  }

  /**
   * What the engine has of a registration whose deadline is still to come.
   *
   * @throws SluiceException UNAVAILABLE while the engine does not answer
   */
  public Optional<FlowAccount> account(long id) throws SluiceException {
    return inbox.call(now -> loop.account(id, now));
  }

  /** Whether an entry of the journal is about a registration. */
  public static boolean isAbout(JournalEntry entry, long id) {
    return FlowJournal.isAbout(entry, id);
  }

  public void start() {
    executor = execution.sequential("flow-requests");
    SocketRequests requests =
        new SocketRequests(manager, context.endpoints, context.link, context.term, executor);
    hosts = new HostReports(inbox, loop, requests::answer, leads);
    store.open();
    registrar.start();
    settings.addListener(WithdrawStage.DEADLINES, this);
    context.link.addListener(hosts);
    clusterClock.agreement().addListener(loadSoon);
    loadSoon.run();
  }

  public void stop() {
    clusterClock.agreement().removeListener(loadSoon);
    context.link.removeListener(hosts);
    settings.removeListener(this);
    store.close();
    registrar.stop();
    executor.shutdownNow();
  }

  private void load() {
    sync.load();
  }

  /** Has all that is stored read soon, of which this node may not have been notified. */
  public void reload() {
    sync.reloadSoon();
  }

  // ------------------------------------------------------------ engine thread

  @Override
  public void follow(long nowNanos) {
    boolean wasOff = loop.isOff();
    loop.follow(nowNanos);
    if (wasOff && !loop.isOff()) {
      loadSoon.run(); // From here on what is stored is taken in again.
    }
  }

  @Override
  public void step(long nowNanos) {
    loop.step(nowNanos);
    if (loop.isAtWork() != wanted) {
      wanted = loop.isAtWork();
      demand.advance();
    }
    if (settings.parameters().switchFlows()) {
      loop.takeRegistered().ifPresent(this::setRegistered);
    }
  }

  private void setRegistered(Set<FlowKey> now) {
    registered = now;
    registrations.advance();
  }

  // ------------------------------------------------------------ switches

  @Override
  public Epoch registrations() {
    return registrations;
  }

  @Override
  public Set<FlowKey> registered() {
    return registered;
  }

  @Override
  public void connectionBegan(FlowKey connection) {
    inbox.offerUrgent(now -> loop.connectionBegan(connection, now));
  }

  @Override
  public void connectionEnded(FlowKey connection) {
    inbox.offerUrgent(now -> loop.connectionEnded(connection, now));
  }

  // ------------------------------------------------------------ settings

  @Override
  public Epoch epoch() {
    return demand;
  }

  @Override
  public boolean isWanted() {
    return wanted;
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    // The engine thread follows them in its next period.
  }

  @Override
  public void withdraw() {
    sync.stop();
    try {
      inbox.call(
          now -> {
            loop.releaseAll(now);
            return true;
          });
      store.clear();
    } catch (SluiceException | StorageUnavailableException e) {
      log.warn("Registered flows could not be withdrawn: {}", e.toString());
    }
  }
}
