// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.onlab.util.Tools.groupedThreads;
import static org.sluice.core.setting.SettingTable.ATTACHMENT_AGE_MINUTES;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.onlab.packet.IpAddress;
import org.onosproject.app.ApplicationListener;
import org.onosproject.app.ApplicationService;
import org.onosproject.mastership.MastershipEvent;
import org.onosproject.mastership.MastershipListener;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.group.GroupListener;
import org.onosproject.net.group.GroupService;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterListener;
import org.onosproject.net.meter.MeterService;
import org.onosproject.persistence.PersistenceService;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.Serializer;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.silent.LimitGroups;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ForwardingState;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/**
 * Forwards the tenants' packets, while the parameters say so and no other application does. Every
 * change of the network leads to one reconciliation of the switches whose master this node is.
 */
@Component(
    immediate = true,
    service = {
      ForwardingState.class,
      EdgeLimits.class,
      ContributedRules.class,
      InheritedRoutes.class
    })
public class Forwarding
    implements ForwardingState, EdgeLimits, ContributedRules, InheritedRoutes, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(Forwarding.class);
  private static final String ROUTES = "sluice-routes";
  private static final long SETTLE_MILLIS = 10;
  private static final long RECONCILE_SECONDS = 5;
  private static final long WITHDRAW_SECONDS = 8;

  /** ONOS's own patience with an application that it deactivates is 2 s. */
  private static final long RULES_GONE_MILLIS = 1000;

  /**
   * ONOS removes rules that its store does not know at the first check of a switch, and may do so
   * just after ours went out: they are sent again.
   */
  private static final long[] SEND_AGAIN_MILLIS = {0, 500, 2000};

  @Reference SluiceApplication application;
  @Reference TopologyView topology;
  @Reference Attachments attachments;
  @Reference ApplicationService applications;
  @Reference DeviceService devices;
  @Reference MastershipService mastership;
  @Reference FlowRuleService flows;
  @Reference MeterService meters;
  @Reference GroupService groups;
  @Reference PersistenceService persistence;
  @Reference CapRules caps;

  private final LongSupplier clockNanos;
  private final Epoch epoch = new Epoch();
  private final AtomicBoolean due = new AtomicBoolean();
  private final Set<DeviceId> dueDevices = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean partlyDue = new AtomicBoolean();
  private final Runnable changeListener = this::reconcileSoon;
  private final DeviceListener deviceListener = this::deviceChanged;
  private final MastershipListener mastershipListener = this::mastershipChanged;
  private final ApplicationListener applicationListener = event -> reconcileSoon();
  private final MeterListener meterListener = event -> reconcileSoon();
  private final GroupListener groupListener = event -> reconcileSoon();
  private ScheduledExecutorService executor;
  private Pipeline pipeline;
  private volatile boolean own;
  private volatile boolean withdrawn;
  private volatile Set<IpAddress> inherited = Set.of();
  private final Map<Class<?>, Map<DeviceId, ? extends Collection<FlowRule>>> contributed =
      new ConcurrentHashMap<>();
  private volatile Map<DeviceId, List<EdgeLimit>> limits = Map.of();

  // The executor's thread alone:
  private OtherForwarder otherForwarder;
  private RuleReconciler rules;
  private CeMeters ceMeters;
  private EdgeMeters edgeMeters;
  private EcmpGroups ecmpGroups;
  private RouteMemory routes;
  private InheritedRules inheritedRules;
  private long ownSinceNanos;
  private String lastReason = "";
  private final Set<DeviceId> again = new HashSet<>();

  public Forwarding() {
    this(System::nanoTime);
  }

  /** With another clock for ages, for tests. */
  public Forwarding(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

  @Activate
  void activate() {
    otherForwarder = new OtherForwarder(applications);
    pipeline = new Pipeline(application.id());
    rules = new RuleReconciler(flows, application.id());
    inheritedRules = new InheritedRules(pipeline, rules, devices, mastership);
    ceMeters = new CeMeters(meters, flows, application.id(), clockNanos);
    edgeMeters = new EdgeMeters(meters, application.id(), clockNanos);
    routes =
        new RouteMemory(
            persistence
                .<IpAddress>persistentSetBuilder()
                .withName(ROUTES)
                .withSerializer(Serializer.using(KryoNamespaces.API))
                .build());
    ecmpGroups = new EcmpGroups(groups, application.id(), clockNanos);
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "forwarding", log));
    application.settings().addListener(WithdrawStage.FORWARDING, this);
    topology.epoch().addListener(changeListener);
    attachments.epoch().addListener(changeListener);
    devices.addListener(deviceListener);
    mastership.addListener(mastershipListener);
    applications.addListener(applicationListener);
    meters.addListener(meterListener);
    groups.addListener(groupListener);
    caps.setListener(this::reconcileSoon);
    executor.execute(() -> devices.getAvailableDevices().forEach(d -> returned(d.id())));
    executor.scheduleWithFixedDelay(this::reconcileAll, 0, RECONCILE_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    caps.setListener(devices -> {});
    groups.removeListener(groupListener);
    meters.removeListener(meterListener);
    applications.removeListener(applicationListener);
    mastership.removeListener(mastershipListener);
    devices.removeListener(deviceListener);
    attachments.epoch().removeListener(changeListener);
    topology.epoch().removeListener(changeListener);
    application.settings().removeListener(this);
    executor.shutdownNow();
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
    return !own
        || application.settings().get(SettingTable.SPREADING) == SettingTable.Spreading.FLOWS;
  }

  @Override
  public void limit(Collection<EdgeLimit> all) {
    Map<DeviceId, List<EdgeLimit>> now =
        all.stream()
            .collect(groupingBy(limit -> OnosTypes.port(limit.port()).deviceId(), toList()));
    if (!now.equals(limits)) {
      limits = now;
      reconcileSoon();
    }
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return edgeMeters.isRefusedBy(DeviceId.deviceId(datapath));
  }

  @Override
  public FlowRule copy(DeviceId device, TrafficSelector selector) {
    return pipeline.copy(device, selector);
  }

  @Override
  public List<FlowRule> ignore(Punts.Pause pause) {
    return pipeline.ignore(pause);
  }

  @Override
  public void set(Class<?> part, Map<DeviceId, ? extends Collection<FlowRule>> rules) {
    if (!rules.equals(contributed.put(part, Map.copyOf(rules)))) {
      reconcileSoon();
    }
  }

  @Override
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
      executor.submit(this::reconcileAll).get(WITHDRAW_SECONDS, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.error("Not all rules and meters could be taken back", e);
    }
  }

  private void deviceChanged(DeviceEvent event) {
    DeviceId device = event.subject().id();
    switch (event.type()) {
      case DEVICE_ADDED:
      case DEVICE_AVAILABILITY_CHANGED:
        if (devices.isAvailable(device)) {
          executor.execute(() -> returned(device));
          sendAgain(device);
        } else {
          executor.execute(() -> forget(device));
        }
        break;
      case DEVICE_REMOVED:
      case DEVICE_SUSPENDED:
        executor.execute(() -> forget(device));
        break;
      default:
        break;
    }
  }

  /** Its tables may be as they were, or empty, whatever ONOS's stores say. */
  private void returned(DeviceId device) {
    again.add(device);
    ceMeters.returned(device);
    edgeMeters.returned(device);
    caps.returned(device);
  }

  private void forget(DeviceId device) {
    ceMeters.forget(device);
    edgeMeters.forget(device);
    caps.forget(device);
  }

  /**
   * A change of backups changes nothing in the switch, such as the end of an old master's channel.
   */
  private void mastershipChanged(MastershipEvent event) {
    if (event.type() == MastershipEvent.Type.MASTER_CHANGED) {
      sendAgain(event.subject());
    }
  }

  private void sendAgain(DeviceId device) {
    for (long delayMillis : SEND_AGAIN_MILLIS) {
      executor.schedule(
          () -> {
            again.add(device);
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
  private void reconcileSoon(Set<DeviceId> some) {
    if (dueDevices.addAll(some) && partlyDue.compareAndSet(false, true)) {
      executor.schedule(this::reconcileDue, SETTLE_MILLIS, MILLISECONDS);
    }
  }

  private void reconcileDue() {
    partlyDue.set(false);
    Set<DeviceId> some = new HashSet<>(dueDevices);
    dueDevices.removeAll(some);
    if (!own) {
      return; // All switches are evaluated when that changes.
    }
    try {
      reconcile(some);
    } catch (RuntimeException e) {
      log.error("Rules of {} could not be updated; retrying at the next attempt", some, e);
    }
  }

  private void reconcile(Set<DeviceId> some) {
    RulePlan plan = plan(attachments.all());
    for (DeviceId device : some) {
      if (devices.isAvailable(device) && mastership.isLocalMaster(device)) {
        reconcile(device, plan);
      }
    }
    checkAgainIfWaiting();
  }

  private RulePlan plan(Map<IpAddress, ConnectPoint> attached) {
    return new RulePlan(pipeline, topology.paths(), attached, ecmpGroups, spreadsFlows());
  }

  private void checkAgainIfWaiting() {
    boolean isEdgeWaiting = edgeMeters.takeWaiting();
    boolean areCapsWaiting = caps.takeWaiting();
    if (isEdgeWaiting || areCapsWaiting) {
      executor.schedule(this::reconcileAll, EdgeMeters.SETTLE_NANOS, NANOSECONDS);
    }
  }

  private void reconcileAll() {
    due.set(false);
    try {
      Optional<String> reason = reasonAgainstOwn();
      follow(reason);
      if (reason.isEmpty()) {
        Map<IpAddress, ConnectPoint> attached = attachments.all();
        routes.follow(attached.keySet());
        giveUpInherited();
        RulePlan plan = plan(attached);
        for (Device device : devices.getAvailableDevices()) {
          if (mastership.isLocalMaster(device.id())) {
            reconcile(device.id(), plan);
          } else {
            edgeMeters.lose(device.id());
            caps.lose(device.id());
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

  private void reconcile(DeviceId device, RulePlan plan) {
    List<PortNumber> linkPorts = new ArrayList<>();
    for (ConnectPoint port : topology.interSwitchPorts()) {
      if (port.deviceId().equals(device)) {
        linkPorts.add(port.port());
      }
    }
    List<FlowRule> uncertain = plan.uncertain(device);
    ecmpGroups.begin(device);
    List<FlowRule> wanted = plan.rules(device, ceMeters.ensure(device, linkPorts));
    for (Map<DeviceId, ? extends Collection<FlowRule>> ofPart : contributed.values()) {
      Collection<FlowRule> toDevice = ofPart.get(device);
      if (toDevice != null) {
        wanted.addAll(toDevice);
      }
    }
    wanted.addAll(limitingRules(device));
    wanted.addAll(caps.rules(device, plan));
    int written = rules.reconcile(device, wanted, uncertain, again.remove(device));
    if (uncertain.isEmpty()) {
      ecmpGroups.end(device); // Else rules that stay may use a group that no plan knows.
    }
    if (written > 0) {
      log.debug("{}: {} rules written", device, written);
    }
  }

  /** What leads endpoints through their meters, as far as these may be used. */
  private List<FlowRule> limitingRules(DeviceId device) {
    List<LimitGroups.Group> groups = LimitGroups.of(limits.getOrDefault(device, List.of()));
    Map<String, MeterId> usable = edgeMeters.ensure(device, groups);
    List<FlowRule> found = new ArrayList<>();
    for (LimitGroups.Group group : groups) {
      MeterId meter = usable.get(group.name());
      if (meter != null) {
        ConnectPoint from = OnosTypes.port(group.port());
        group.ips().stream()
            .map(OnosTypes::ip)
            .filter(OnosTypes::isRoutable)
            .forEach(ip -> found.add(pipeline.limit(from, ip, meter)));
      }
    }
    return found;
  }

  /** Why Sluice does not forward now; empty while it does. */
  private Optional<String> reasonAgainstOwn() {
    if (withdrawn) {
      return Optional.of("the application is being deactivated");
    }
    if (application.settings().get(SettingTable.FORWARDING) == SettingTable.Forwarding.OTHER) {
      return Optional.of("forwarding = other");
    }
    return otherForwarder
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
      } else if (application.settings().get(SettingTable.FORWARDING) == SettingTable.Forwarding.OWN
          && !withdrawn) {
        log.warn("Sluice cannot forward: {}", lastReason);
      } else {
        log.info("Sluice does not forward: {}", lastReason);
      }
      application
          .journal()
          .write(
              JournalEntry.Kind.SETTING,
              now ? "Sluice forwards" : "Sluice does not forward",
              now ? "forwarding = own" : lastReason);
    }
    if (now != own) {
      own = now;
      ownSinceNanos = clockNanos.getAsLong();
      epoch.advance();
    }
  }

  /**
   * Rules first: a switch drops rules with the meter or group that they use, behind ONOS's back.
   */
  private void takeBack() {
    if (inheritedRules.takeBack(routes.inherited(), true, RULES_GONE_MILLIS)) {
      routes.clear();
      inheritedRules.clear();
    }
    if (withdrawn) {
      rules.removeAll();
    }
    // Of a switch that is away nothing can be taken back; its return leads here again.
    List<DeviceId> here = new ArrayList<>();
    devices.getAvailableDevices().forEach(device -> here.add(device.id()));
    if (rules.count(here) > 0) {
      rules.removeAll(here);
      long deadline = System.nanoTime() + MILLISECONDS.toNanos(RULES_GONE_MILLIS);
      while (rules.count(here) > 0 && System.nanoTime() < deadline) {
        pause();
      }
    }
    for (Device device : devices.getDevices()) {
      if (withdrawn || here.contains(device.id())) {
        ceMeters.removeAll(device.id());
        edgeMeters.removeAll(device.id());
        caps.removeAll(device.id());
        ecmpGroups.removeAll(device.id());
      }
    }
  }

  /**
   * Machines that had rules in an earlier life of ONOS, and that have not been seen for as long as
   * one that falls silent is remembered, do not come back: they have been requested all the while.
   */
  private void giveUpInherited() {
    Set<IpAddress> now = routes.inherited();
    long ageNanos = MINUTES.toNanos(application.settings().get(ATTACHMENT_AGE_MINUTES));
    if (!now.isEmpty()
        && clockNanos.getAsLong() - ownSinceNanos >= ageNanos
        && inheritedRules.takeBack(now, false, RULES_GONE_MILLIS)) {
      log.info("Took back the rules of {} addresses from before the restart", now.size());
      routes.forget(now);
      inheritedRules.clear();
      now = Set.of();
    }
    inherited = now;
  }

  private static void pause() {
    try {
      MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
