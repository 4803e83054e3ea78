// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.loop.EngineFeed;
import org.sluice.core.loop.EngineLoop;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Platform;

/**
 * Congestion control policies on this node: joins the store, the network, the engine thread and the
 * agent link. The leader of {@value Topics#CLUSTER} evaluates; every node collects, so that each
 * can answer what a set would do.
 */
public final class OracleRunner implements EngineLoop.Part, EngineFeed.Tap, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(OracleRunner.class);
  private static final long RETRY_SECONDS = 10;

  /** Much changes at once where a switch comes or goes. */
  private static final long GATHERING_MILLIS = 100;

  private final Settings settings;
  private final Platform platform;
  private final AgentLink link;
  private final ReportedEndpoints endpoints;
  private final Capacities capacities;
  private final EngineInbox inbox;
  private final Execution execution;
  private final TakeoverTerms terms;
  private final PolicyStore store;
  private final HostPlaces places;
  private final PolicyNetworks networks;
  private final HintReports reports;
  private final OracleLoop loop;
  private final PolicyManager policies;
  private final ForeignCounters foreign;

  private final Runnable networkListener =
      new CoalescedTask(
          command -> this.executor.schedule(command, GATHERING_MILLIS, MILLISECONDS),
          this::reassign);
  private final Runnable storeListener =
      new CoalescedTask(command -> this.executor.execute(command), this::reassign);
  private ScheduledExecutorService executor;
  private volatile boolean isWithdrawn;
  private volatile boolean isEvaluating;

  // Executor thread only:
  private Assignment assigned;

  /**
   * One that evaluates nothing yet.
   *
   * @param clockMillis the cluster's steady time, ms since the epoch
   * @param hasStore whether the cluster's store answers
   */
  public OracleRunner(
      Settings settings,
      Platform platform,
      AgentLink link,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      Capacities capacities,
      EngineInbox inbox,
      NodeJournal journal,
      Execution execution,
      LongSupplier clockMillis,
      BooleanSupplier hasStore) {
    this.settings = settings;
    this.platform = platform;
    this.link = link;
    this.endpoints = endpoints;
    this.capacities = capacities;
    this.inbox = inbox;
    this.execution = execution;
    terms = new TakeoverTerms(clockMillis);
    store = new PolicyStore(platform.storage(), journal, execution.clock());
    places =
        new HostPlaces(
            endpoints, locator, platform.hostSightings(), platform.topology(), platform.switches());
    networks = new PolicyNetworks(platform.topology(), capacities, endpoints, places);
    reports = new HintReports(journal, execution.clock());
    loop =
        new OracleLoop(
            capacities, new HintOutbox(link), new PolicyJournal(journal, execution.clock()));
    policies =
        new PolicyManager(
            store,
            networks,
            reports,
            loop,
            inbox,
            execution.clock(),
            // Where the store does not answer another node may lead by now.
            () -> isEvaluating && hasStore.getAsBoolean());
    foreign =
        new ForeignCounters(
            platform.mastership(), sample -> inbox.offer(now -> loop.counted(sample)));
  }

  public void start() {
    executor = execution.sequential("policies");
    settings.addListener(WithdrawStage.HINTS, this);
    link.addListener(places);
    link.addListener(reports);
    platform.counters().addListener(foreign);
    store.start();
    store.epoch().addListener(storeListener);
    platform.leadership().epoch().addListener(storeListener);
    platform.topology().epoch().addListener(networkListener);
    platform.attachments().epoch().addListener(networkListener);
    capacities.epoch().addListener(networkListener);
    endpoints.epoch().addListener(networkListener);
    executor.scheduleWithFixedDelay(this::reassign, 0, RETRY_SECONDS, SECONDS);
  }

  /** Hints end with hosts' sessions. */
  public void stop() {
    endpoints.epoch().removeListener(networkListener);
    capacities.epoch().removeListener(networkListener);
    platform.attachments().epoch().removeListener(networkListener);
    platform.topology().epoch().removeListener(networkListener);
    platform.leadership().epoch().removeListener(storeListener);
    store.epoch().removeListener(storeListener);
    store.stop();
    platform.counters().removeListener(foreign);
    link.removeListener(reports);
    link.removeListener(places);
    settings.removeListener(this);
    executor.shutdownNow();
  }

  // ------------------------------------------------------------ what is to be evaluated

  /**
   * Reads the policies that are stored, of which this node may not have been notified.
   *
   * @throws org.sluice.core.spi.StorageUnavailableException if the store does not answer
   */
  public void reload() {
    store.reload();
  }

  /** Brings the engine thread to what the store, the cluster and the network say. */
  private void reassign() {
    try {
      OptionalLong leadership =
          isWithdrawn ? OptionalLong.empty() : platform.leadership().localTerm(Topics.CLUSTER);
      isEvaluating = leadership.isPresent();
      Optional<PolicyRevision> current = store.history().current();
      if (leadership.isPresent() && current.flatMap(PolicyRevision::set).isPresent()) {
        assign(terms.term(Topics.CLUSTER, leadership.getAsLong()), current.get());
      } else if (assigned != null && inbox.post(loop::unassign)) {
        assigned = null;
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("Policies could not be updated; retrying at the next change", e);
    }
  }

  private void assign(long term, PolicyRevision current) {
    PolicySet set = current.set().orElseThrow();
    // In this order: the endpoints of a host with a session are known.
    Map<HostId, Long> sessions = endpoints.sessions();
    Assignment now = new Assignment(term, current.number(), set, networks.network(set), sessions);
    if (!now.isSame(assigned) && inbox.post(nanos -> loop.assign(now, nanos))) {
      assigned = now;
    }
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    // No setting is about policies.
  }

  /** Hosts use their own parameters again; what is stored stays. */
  @Override
  public void withdraw() {
    isWithdrawn = true;
    try {
      inbox.call(
          now -> {
            loop.unassign(now);
            return true;
          });
    } catch (SluiceException e) {
      log.warn("Hints could not be withdrawn; they end with the sessions: {}", e.toString());
    }
  }

  // ------------------------------------------------------------ engine thread

  @Override
  public void follow(long nowNanos) {
    // What changes comes as an assignment.
  }

  @Override
  public void step(long nowNanos) {
    loop.step(nowNanos);
  }

  @Override
  public void sent(HostObservation observation) {
    loop.sent(observation);
  }

  @Override
  public void queued(PortQueueObservation observation) {
    loop.queued(observation);
  }

  @Override
  public void counted(PortSample sample, long receivedNanos) {
    loop.counted(sample);
  }

  // ------------------------------------------------------------ the service

  /** What REST, shell and doctor use. */
  public PolicyService policies() {
    return policies;
  }
}
