// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
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
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Platform;
import org.sluice.engine.opentcp.Oracle;

/**
 * Congestion control policies on this node: joins the store, the network, the engine thread and the
 * agent link, and answers what others read. The leader of {@value Topics#POLICY} evaluates; every
 * node collects, so that each can answer what a set would do.
 */
public final class OracleRunner
    implements EngineLoop.Part, EngineFeed.Tap, PolicyService, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(OracleRunner.class);
  private static final long RETRY_SECONDS = 10;

  /** Much changes at once where a switch comes or goes. */
  private static final long GATHERING_MILLIS = 100;

  /** After so long a host that takes hints has answered. */
  private static final long ANSWER_NANOS = SECONDS.toNanos(10);

  private static final double NANOS_PER_SECOND = 1e9;

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
  private final ForeignCounters foreign = new ForeignCounters();

  private final Runnable networkListener = this::reassignSoon;
  private final Runnable storeListener = this::reassignNow;
  private final AtomicBoolean due = new AtomicBoolean();
  private ScheduledExecutorService executor;
  private volatile boolean isWithdrawn;
  private volatile boolean isEvaluating;

  // Executor thread only:
  private Assignment assigned;

  /**
   * One that evaluates nothing yet.
   *
   * @param clockMillis the time of day, ms, which never goes back
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
      LongSupplier clockMillis) {
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

  private void reassignSoon() {
    if (due.compareAndSet(false, true)) {
      try {
        executor.schedule(this::reassign, GATHERING_MILLIS, MILLISECONDS);
      } catch (RejectedExecutionException e) {
        log.debug("A change came too late: the component stops");
      }
    }
  }

  private void reassignNow() {
    try {
      executor.execute(this::reassign);
    } catch (RejectedExecutionException e) {
      log.debug("A change came too late: the component stops");
    }
  }

  /** Brings the engine thread to what the store, the cluster and the network say. */
  private void reassign() {
    due.set(false);
    try {
      OptionalLong leadership =
          isWithdrawn ? OptionalLong.empty() : platform.leadership().localTerm(Topics.POLICY);
      isEvaluating = leadership.isPresent();
      Optional<PolicyRevision> current = store.history().current();
      if (leadership.isPresent() && current.flatMap(PolicyRevision::set).isPresent()) {
        assign(terms.term(Topics.POLICY, leadership.getAsLong()), current.get());
      } else if (assigned != null && inbox.post(loop::unassign)) {
        assigned = null;
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("Policies are evaluated as before; the next change tries again", e);
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
      inbox.ask(
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

  /** What the platform reads of switches that other nodes are masters of. */
  private final class ForeignCounters implements CounterListener {
    /** The platform takes its time for each question. */
    private final Map<String, Boolean> mastered = new ConcurrentHashMap<>();

    private volatile long masteredEpoch = Long.MIN_VALUE;

    @Override
    public void portRead(PortSample sample) {
      long epoch = platform.mastership().epoch().get();
      if (epoch != masteredEpoch) {
        masteredEpoch = epoch;
        mastered.clear();
      }
      if (!mastered.computeIfAbsent(sample.port().datapath(), platform.mastership()::isLocal)) {
        inbox.offer(now -> loop.counted(sample));
      }
    }

    @Override
    public void meterRead(MeterSample sample) {
      // Marks are no drops.
    }
  }

  // ------------------------------------------------------------ the service

  @Override
  public List<PolicyFinding> validate(PolicySet set) {
    PolicyNetwork network = networks.network(set);
    List<PolicyFinding> findings = new ArrayList<>(network.findings());
    findings.addAll(probe(network).validate(set));
    try {
      long interval = inbox.ask(now -> loop.longestIntervalNanos(network));
      // A link that is not read in a cycle keeps its values for one more.
      if (interval > 2 * set.cycleNanos()) {
        findings.add(
            PolicyFinding.of(
                "cycleSeconds",
                String.valueOf(set.cycleNanos() / NANOS_PER_SECOND),
                "Counters of some links come only every " + interval / NANOS_PER_SECOND + " s",
                "Use at least half of that, or fast counters (sluice-switch-setup)"));
      }
    } catch (SluiceException e) {
      log.debug("How often counters come is not known: {}", e.toString());
    }
    return findings;
  }

  private static Oracle probe(PolicyNetwork network) {
    return new Oracle(network.fabric(), (source, destination, hint) -> {});
  }

  private void requireRoom(PolicySet set, PolicyNetwork network) throws SluiceException {
    Optional<PolicyFinding> excess = probe(network).excess(set);
    if (excess.isPresent()) {
      throw SluiceException.conflict(
          excess.get().field(),
          excess.get().value(),
          "The set is too large for this network: " + excess.get().message(),
          excess.get().remedy());
    }
  }

  @Override
  public PolicyPreview dryRun(PolicySet set) throws SluiceException {
    PolicyNetwork network = networks.network(set);
    requireRoom(set, network);
    return inbox.ask(now -> loop.dryRun(set, network));
  }

  @Override
  public Optional<PolicyPreview> state() throws SluiceException {
    return inbox.ask(now -> loop.state());
  }

  @Override
  public boolean isEvaluating() {
    return isEvaluating;
  }

  @Override
  public Optional<PolicyFinding> fault() {
    if (store.history().isUnreadable()) {
      return Optional.of(
          PolicyFinding.of(
              "version",
              "",
              "The policies in force were written by another release, and cannot be read",
              "Apply policies anew, or use the release that wrote them"));
    }
    return loop.fault();
  }

  @Override
  public Optional<PolicyRevision> current() {
    return store.history().current();
  }

  @Override
  public PolicyRevision apply(PolicySet set, String author) throws SluiceException {
    requireRoom(set, networks.network(set));
    return store.apply(set, author);
  }

  @Override
  public PolicyRevision rollBack(long revision, String author) throws SluiceException {
    return store.rollBack(revision, author);
  }

  @Override
  public List<PolicyRevision> history() {
    return store.history().revisions();
  }

  @Override
  public List<HostHints> hosts() {
    long now = execution.clock().nanoTime();
    List<HostHints> found = new ArrayList<>();
    new TreeMap<>(loop.shownHints()).forEach((host, sent) -> found.add(hints(host, sent, now)));
    return found;
  }

  private HostHints hints(HostId host, SentHints sent, long nowNanos) {
    HostHints.Builder hints =
        HostHints.builder(host)
            .group(sent.group)
            .revision(sent.revision)
            .hints(sent.hints)
            .leftOutGroups(sent.leftOutGroups);
    Optional<String> declined = reports.declined(host);
    if (declined.isPresent()) {
      return hints.state(HostHints.State.UNANSWERED).refused(List.of(declined.get())).build();
    }
    Optional<TcpHintReport> report = reports.find(host, sent.revision);
    if (report.isEmpty()) {
      boolean isLate = nowNanos - sent.sentNanos > ANSWER_NANOS;
      return hints.state(isLate ? HostHints.State.UNANSWERED : HostHints.State.SENT).build();
    }
    boolean isRefused = !report.get().refused().isEmpty();
    return hints
        .state(isRefused ? HostHints.State.REFUSED : HostHints.State.IN_FORCE)
        .applied(report.get().hints())
        .refused(report.get().refused())
        .build();
  }
}
