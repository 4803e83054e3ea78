// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.sluice.core.setting.SettingTable.ATTACHMENT_AGE_MINUTES;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.silent.LimitGroups;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.frame.Addresses;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.LateSwitchException;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.SwitchEvents;
import org.sluice.forwarding.topology.AttachmentMap;
import org.sluice.forwarding.topology.LinkTopology;

/**
 * Forwards the tenants' packets, while the parameters say so and no other application does. Every
 * change of the network leads to one reconciliation of the switches whose master this node is.
 */
public final class Forwarding
    implements ForwardingState,
        EdgeLimits,
        ContributedRules,
        SettingListener,
        SwitchEvents.Listener {
  private static final Logger log = LoggerFactory.getLogger(Forwarding.class);
  private static final long SETTLE_MILLIS = 10;
  private static final long RECONCILE_SECONDS = 5;
  private static final long WITHDRAW_SECONDS = 8;

  /** ONOS's patience with an application that it deactivates is 2 s. */
  private static final long RULES_GONE_MILLIS = 1000;

  private static final long LOOK_MILLIS = 20;

  /** After so long a switch is tried again whose rules were not known in time. */
  private static final long RETRY_MILLIS = 500;

  /**
   * ONOS removes rules that its store does not know at the first check of a switch, and may do so
   * just after ours went out: they are sent again.
   */
  private static final long[] SEND_AGAIN_MILLIS = {0, 500, 2000};

  private final ForwardingPlatform platform;
  private final Switches switches;
  private final Mastership mastership;
  private final LinkTopology topology;
  private final AttachmentMap attachments;
  private final SwitchCaps caps;
  private final Settings settings;
  private final JournalWriter journal;
  private final Execution execution;

  private final Epoch epoch = new Epoch();
  private final AtomicBoolean due = new AtomicBoolean();
  private final Set<String> dueSwitches = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean partlyDue = new AtomicBoolean();
  private final Runnable changeListener = this::reconcileSoon;
  private final ScheduledExecutorService executor;
  private volatile boolean own;
  private volatile boolean withdrawn;
  private volatile Set<IpAddress> inherited = Set.of();
  private final Map<Class<?>, Map<String, ? extends Collection<Rule>>> contributed =
      new ConcurrentHashMap<>();
  private volatile Map<String, List<EdgeLimit>> limits = Map.of();

  // The executor's thread alone:
  private final RuleReconciler rules;
  private final CeMeters ceMeters;
  private final EdgeMeters edgeMeters;
  private final EcmpGroups ecmpGroups;
  private final RouteMemory routes;
  private final InheritedRules inheritedRules;
  private long ownSinceNanos;
  private String lastReason = "";
  private final Set<String> again = new HashSet<>();

  /** Switches whose rules were not known in time and that are tried again soon. */
  private final Set<String> late = new HashSet<>();

  /** Does nothing yet. */
  public Forwarding(
      ForwardingPlatform platform,
      LinkTopology topology,
      AttachmentMap attachments,
      SwitchCaps caps,
      Settings settings,
      JournalWriter journal,
      Execution execution) {
    this.platform = platform;
    switches = platform.switches();
    mastership = platform.mastership();
    this.topology = topology;
    this.attachments = attachments;
    this.caps = caps;
    this.settings = settings;
    this.journal = journal;
    this.execution = execution;
    LongSupplier clockNanos = execution.clock()::nanoTime;
    rules = new RuleReconciler(platform.rules());
    inheritedRules = new InheritedRules(platform, execution);
    ceMeters = new CeMeters(platform.meters(), platform.rules(), clockNanos);
    edgeMeters = new EdgeMeters(platform.meters(), clockNanos);
    routes = new RouteMemory(platform.routeMemory());
    ecmpGroups = new EcmpGroups(platform.groups(), clockNanos);
    executor = execution.sequential("forwarding");
  }

  public void start() {
    settings.addListener(WithdrawStage.FORWARDING, this);
    changes().forEach(each -> each.addListener(changeListener));
    platform.switchEvents().addListener(this);
    caps.setListener(this::reconcileSoon);
    executor.execute(() -> switches.connected().forEach(this::cameBack));
    executor.scheduleWithFixedDelay(this::reconcileAll, 0, RECONCILE_SECONDS, SECONDS);
  }

  public void stop() {
    caps.setListener(datapaths -> {});
    platform.switchEvents().removeListener(this);
    changes().forEach(each -> each.removeListener(changeListener));
    settings.removeListener(this);
    executor.shutdownNow();
  }

  /** Whatever leads to a reconciliation. */
  private List<Epoch> changes() {
    return List.of(
        topology.epoch(),
        attachments.epoch(),
        platform.otherForwarder().epoch(),
        platform.meters().epoch(),
        platform.groups().epoch());
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public boolean own() {
    return own;
  }

  @Override
  public boolean spreadsFlows() {
    return !own || settings.get(SettingTable.SPREADING) == SettingTable.Spreading.FLOWS;
  }

  @Override
  public void limit(Collection<EdgeLimit> all) {
    Map<String, List<EdgeLimit>> now =
        all.stream().collect(groupingBy(limit -> limit.port().datapath(), toList()));
    if (!now.equals(limits)) {
      limits = now;
      reconcileSoon();
    }
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return edgeMeters.isRefusedBy(datapath);
  }

  @Override
  public Rule copy(String datapath, Match match) {
    return Pipeline.copy(datapath, match);
  }

  @Override
  public List<Rule> ignore(Punts.Pause pause) {
    return Pipeline.ignore(pause);
  }

  @Override
  public void set(Class<?> part, Map<String, ? extends Collection<Rule>> rules) {
    if (!rules.equals(contributed.put(part, Map.copyOf(rules)))) {
      reconcileSoon();
    }
  }

  /**
   * Addresses whose rules may stand from an earlier life, that nobody has seen since, and that are
   * not given up yet.
   */
  public Set<IpAddress> inherited() {
    return inherited;
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    if (now.get(SettingTable.SPREADING) != before.get(SettingTable.SPREADING)) {
      epoch.advance();
    }
    reconcileSoon();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    try {
      execution.await(executor.submit(this::reconcileAll), SECONDS.toNanos(WITHDRAW_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.error("Not all rules and meters could be taken back", e);
    }
  }

  @Override
  public void returned(String datapath) {
    executor.execute(() -> cameBack(datapath));
    sendAgain(datapath);
  }

  @Override
  public void gone(String datapath) {
    executor.execute(() -> forget(datapath));
  }

  @Override
  public void masterChanged(String datapath) {
    sendAgain(datapath);
  }

  /**
   * Its tables may be as they were, or empty, whatever the platform's stores say. Where it comes
   * back quickly nobody may have noticed that it went.
   */
  private void cameBack(String datapath) {
    forget(datapath);
    again.add(datapath);
    ceMeters.returned(datapath);
    edgeMeters.returned(datapath);
    caps.returned(datapath);
  }

  private void forget(String datapath) {
    ceMeters.forget(datapath);
    edgeMeters.forget(datapath);
    caps.forget(datapath);
  }

  private void sendAgain(String datapath) {
    for (long delayMillis : SEND_AGAIN_MILLIS) {
      executor.schedule(
          () -> {
            again.add(datapath);
            reconcileAll();
          },
          delayMillis,
          MILLISECONDS);
    }
  }

  private void reconcileSoon() {
    if (due.compareAndSet(false, true)) {
      executor.schedule(this::reconcileAll, SETTLE_MILLIS, MILLISECONDS);
    }
  }

  /** Caps come and go with flows: only the switches that have them are evaluated. */
  private void reconcileSoon(Set<String> some) {
    if (dueSwitches.addAll(some) && partlyDue.compareAndSet(false, true)) {
      executor.schedule(this::reconcileDue, SETTLE_MILLIS, MILLISECONDS);
    }
  }

  private void reconcileDue() {
    partlyDue.set(false);
    Set<String> some = new HashSet<>(dueSwitches);
    dueSwitches.removeAll(some);
    if (!own) {
      return; // All switches are evaluated when that changes.
    }
    try {
      reconcile(some);
    } catch (RuntimeException e) {
      log.error("Rules of {} could not be updated; retrying at the next attempt", some, e);
    }
  }

  /** One switch that cannot be read, or has trouble of another kind, holds up no other. */
  private void tryToReconcile(String datapath, RulePlan plan) {
    try {
      reconcile(datapath, plan);
    } catch (LateSwitchException e) {
      log.debug("Rules wait, since {}", e.getMessage());
      if (late.add(datapath)) {
        executor.schedule(
            () -> {
              late.remove(datapath);
              reconcileSoon(Set.of(datapath));
            },
            RETRY_MILLIS,
            MILLISECONDS);
      }
    } catch (RuntimeException e) {
      log.error("Rules of {} could not be updated; retrying at the next attempt", datapath, e);
    }
  }

  private void reconcile(Set<String> some) {
    RulePlan plan = plan(attachments.all());
    for (String datapath : some) {
      if (switches.isConnected(datapath) && mastership.isLocal(datapath)) {
        tryToReconcile(datapath, plan);
      }
    }
    checkAgainIfWaiting();
  }

  private RulePlan plan(Map<IpAddress, PortId> attached) {
    return new RulePlan(topology.paths(), attached, ecmpGroups, spreadsFlows());
  }

  private void checkAgainIfWaiting() {
    boolean isEdgeWaiting = edgeMeters.takeWaiting();
    boolean areCapsWaiting = caps.takeWaiting();
    if (isEdgeWaiting || areCapsWaiting) {
      executor.schedule(this::reconcileAll, SwitchMeters.SETTLE_NANOS, NANOSECONDS);
    }
  }

  private void reconcileAll() {
    due.set(false);
    try {
      Optional<String> reason = reasonAgainstOwn();
      follow(reason);
      if (reason.isEmpty()) {
        Map<IpAddress, PortId> attached = attachments.all();
        routes.follow(attached.keySet());
        giveUpInherited();
        RulePlan plan = plan(attached);
        for (String datapath : switches.connected()) {
          if (mastership.isLocal(datapath)) {
            tryToReconcile(datapath, plan);
          } else {
            edgeMeters.lose(datapath);
            caps.lose(datapath);
          }
        }
        checkAgainIfWaiting();
      } else {
        takeBack();
      }
    } catch (RuntimeException e) {
      log.error("Rules could not be updated; retrying at the next attempt", e);
    }
  }

  private void reconcile(String datapath, RulePlan plan) {
    List<PortId> linkPorts = new ArrayList<>(topology.interSwitchPorts());
    linkPorts.removeIf(port -> !port.datapath().equals(datapath));
    Set<Rule.Key> uncertain = plan.uncertain(datapath);
    for (IpAddress ip : routes.inherited()) { // A platform that reads tables has them.
      uncertain.add(Pipeline.route(datapath, ip));
      uncertain.add(Pipeline.resolve(datapath, ip));
    }
    ecmpGroups.begin(datapath);
    List<Rule> wanted = plan.rules(datapath, ceMeters.ensure(datapath, linkPorts));
    for (Map<String, ? extends Collection<Rule>> ofPart : contributed.values()) {
      Collection<Rule> toSwitch = ofPart.get(datapath);
      if (toSwitch != null) {
        wanted.addAll(toSwitch);
      }
    }
    wanted.addAll(limitingRules(datapath));
    wanted.addAll(caps.rules(datapath, plan));
    int written = rules.reconcile(datapath, wanted, uncertain, again.contains(datapath));
    again.remove(datapath);
    if (uncertain.isEmpty()) {
      ecmpGroups.end(datapath); // Else rules that stay may use a group that no plan knows.
    }
    if (written > 0) {
      log.debug("{}: {} rules written", datapath, written);
    }
  }

  /** What leads endpoints through their meters, as far as these may be used. */
  private List<Rule> limitingRules(String datapath) {
    List<LimitGroups.Group> groups = LimitGroups.of(limits.getOrDefault(datapath, List.of()));
    Map<String, Long> usable = edgeMeters.ensure(datapath, groups);
    List<Rule> found = new ArrayList<>();
    for (LimitGroups.Group group : groups) {
      Long meter = usable.get(group.name());
      if (meter != null) {
        group.ips().stream()
            .filter(Addresses::isRoutable)
            .forEach(ip -> found.add(Pipeline.limit(group.port(), ip, meter)));
      }
    }
    return found;
  }

  /** Why Sluice does not forward now; empty while it does. */
  private Optional<String> reasonAgainstOwn() {
    if (withdrawn) {
      return Optional.of("the application is being deactivated");
    }
    if (settings.get(SettingTable.FORWARDING) == SettingTable.Forwarding.OTHER) {
      return Optional.of("forwarding = other");
    }
    return platform
        .otherForwarder()
        .active()
        .map(
            name ->
                name
                    + " is active and forwards the same packets: deactivate it, or set forwarding ="
                    + " other");
  }

  private void follow(Optional<String> reason) {
    boolean now = reason.isEmpty();
    if (now != own || !reason.orElse("").equals(lastReason)) {
      lastReason = reason.orElse("");
      if (now) {
        log.info("Sluice forwards the tenants' packets");
      } else if (settings.get(SettingTable.FORWARDING) == SettingTable.Forwarding.OWN
          && !withdrawn) {
        log.warn("Sluice cannot forward: {}", lastReason);
      } else {
        log.info("Sluice does not forward: {}", lastReason);
      }
      journal.write(
          JournalEntry.Kind.SETTING,
          now ? "Sluice forwards" : "Sluice does not forward",
          now ? "forwarding = own" : lastReason);
    }
    if (now != own) {
      own = now;
      ownSinceNanos = execution.clock().nanoTime();
      epoch.advance();
    }
  }

  /**
   * Rules first: a switch drops rules with the meter or group that they use, behind the platform's
   * back.
   */
  private void takeBack() {
    if (inheritedRules.takeBack(routes.inherited(), true, RULES_GONE_MILLIS)) {
      routes.clear();
      inheritedRules.clear();
    }
    if (withdrawn) {
      platform.rules().removeAll();
    }
    // Of a switch that is away nothing can be taken back; its return leads here again.
    List<String> here = new ArrayList<>(switches.connected());
    if (rules.count(here) > 0) {
      rules.removeAll(here);
      long deadline = execution.clock().nanoTime() + MILLISECONDS.toNanos(RULES_GONE_MILLIS);
      while (rules.count(here) > 0 && execution.clock().nanoTime() - deadline < 0) {
        pause();
      }
    }
    for (String datapath : switches.known()) {
      if (withdrawn || here.contains(datapath)) {
        ceMeters.removeAll(datapath);
        edgeMeters.removeAll(datapath);
        caps.removeAll(datapath);
        ecmpGroups.removeAll(datapath);
      }
    }
  }

  /**
   * Machines that had rules in an earlier life, and that have not been seen for as long as one that
   * falls silent is remembered, do not come back: they have been requested all the while.
   */
  private void giveUpInherited() {
    Set<IpAddress> now = routes.inherited();
    long ageNanos = MINUTES.toNanos(settings.get(ATTACHMENT_AGE_MINUTES));
    if (!now.isEmpty()
        && execution.clock().nanoTime() - ownSinceNanos >= ageNanos
        && inheritedRules.takeBack(now, false, RULES_GONE_MILLIS)) {
      log.info("Took back the rules of {} addresses from before the restart", now.size());
      routes.forget(now);
      inheritedRules.clear();
      now = Set.of();
    }
    inherited = now;
  }

  /** A future that never ends: so time passes in a test's clock as well. */
  private void pause() {
    try {
      execution.await(new CompletableFuture<Void>(), MILLISECONDS.toNanos(LOOK_MILLIS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // That was the pause.
    }
  }
}
