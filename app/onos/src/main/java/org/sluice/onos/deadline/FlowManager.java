// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.onosproject.cluster.ClusterService;
import org.onosproject.cluster.Leadership;
import org.onosproject.cluster.LeadershipService;
import org.onosproject.store.service.StorageException;
import org.onosproject.store.service.StorageService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.SteadyClock;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.FlowWish;
import org.sluice.api.link.AgentLink;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.registry.Capacities;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.setting.Duties;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.tenant.TenantDirectory;
import org.sluice.onos.topology.Epoch;

/** Flows with deadlines: takes wishes in, and joins the store, the engine and the hosts. */
@Component(
    immediate = true,
    service = {
      FlowAdminService.class,
      FlowService.class,
      DeadlineDuty.class,
      FlowDemand.class,
      RegisteredFlows.class
    })
public class FlowManager
    implements FlowAdminService, DeadlineDuty, FlowDemand, RegisteredFlows, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(FlowManager.class);

  /** Before hosts lose the link, and before policies are withdrawn. */
  private static final int WITHDRAW_STAGE = 10;

  private static final long PATIENCE_MILLIS = 10_000;

  @Reference StorageService storage;
  @Reference SettingService settings;
  @Reference AgentLink link;
  @Reference ReportedEndpoints endpoints;
  @Reference TenantDirectory tenants;
  @Reference Capacities capacities;
  @Reference Chronicle chronicle;
  @Reference LeadershipService leadership;
  @Reference ClusterService cluster;

  private volatile WallClock clock = WallClock.SYSTEM;

  private final Epoch demand = new Epoch();
  private final Epoch registrations = new Epoch();
  private final EngineDesk desk = new EngineDesk();
  private final FlowHistory history = new FlowHistory();
  private StoreKeeper keeper;
  private FlowStore store;
  private Registrar registrar;
  private ExecutorService executor;
  private HostNews hosts;
  private Surroundings surroundings;
  private volatile Set<FlowKey> registered = Set.of();
  private volatile boolean wanted;

  // The engine's thread alone:
  private DeadlineLoop loop;

  @Activate
  void activate() {
    long term = SteadyClock.millis();
    FlowChronicle flowChronicle = new FlowChronicle(chronicle, endpoints, settings::parameters);
    surroundings = new Surroundings(link, endpoints, tenants, capacities, flowChronicle, term);
    WallClock now = () -> clock.micros();
    keeper = new StoreKeeper(storage, desk, history, now, this::leads);
    store = keeper.store();
    executor = Executors.newSingleThreadExecutor(groupedThreads("sluice", "flow-requests"));
    SocketRequests requests = new SocketRequests(this, endpoints, link, term, executor);
    hosts = new HostNews(desk, requests::answer, this::isWanted, this::leads);
    registrar = new Registrar(store, desk, flowChronicle, now, this::leads, keeper::lookAfter);
    store.open();
    registrar.start();
    settings.addListener(WITHDRAW_STAGE, this);
    link.addListener(hosts);
    executor.execute(keeper::load);
  }

  @Deactivate
  void deactivate() throws InterruptedException {
    link.removeListener(hosts);
    settings.removeListener(this);
    store.close();
    registrar.stop();
    executor.shutdownNow();
  }

  /** Has it go by another clock, for tests of steps. */
  void setClock(WallClock value) {
    clock = value;
  }

  // ------------------------------------------------------------ wishes

  @Override
  public FlowDecision register(FlowWish wish) throws SluiceException {
    return decided(registerLater(wish));
  }

  @Override
  public CompletableFuture<FlowDecision> registerLater(FlowWish wish) {
    try {
      FlowCheck.size(wish.sizeBytes());
      FlowCheck.due(wish.dueInNanos());
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
    FlowAsk ask =
        new FlowAsk(
            FlowAsk.NEW,
            wish.flow(),
            OptionalLong.of(wish.sizeBytes()),
            OptionalLong.of(wish.dueInNanos()),
            wish.force(),
            System.nanoTime(),
            clock.micros());
    registrar.ask(ask);
    return ask.answer;
  }

  @Override
  public FlowDecision change(
      long id, OptionalLong sizeBytes, OptionalLong dueInNanos, boolean force)
      throws SluiceException {
    if (sizeBytes.isPresent()) {
      FlowCheck.size(sizeBytes.getAsLong());
    }
    if (dueInNanos.isPresent()) {
      FlowCheck.due(dueInNanos.getAsLong());
    }
    if (id <= 0) {
      throw FlowCheck.unknown(id);
    }
    FlowAsk ask =
        new FlowAsk(id, null, sizeBytes, dueInNanos, force, System.nanoTime(), clock.micros());
    registrar.ask(ask);
    return decided(ask.answer);
  }

  private static FlowDecision decided(CompletableFuture<FlowDecision> answer)
      throws SluiceException {
    try {
      return answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException) {
        throw (SluiceException) e.getCause();
      }
      throw FlowCheck.unavailable("The decision failed: " + e.getCause());
    } catch (TimeoutException e) {
      throw FlowCheck.unavailable(
          "No decision was made in time; the flow may be registered all the same");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FlowCheck.unavailable("The controller is stopping");
    }
  }

  @Override
  public void remove(long id) throws SluiceException {
    FlowStatus flow = flow(id).orElseThrow(() -> FlowCheck.unknown(id));
    if (flow.state().isEnded()) {
      throw FlowCheck.ended(id);
    }
    try {
      store.remove(id);
    } catch (StorageException e) {
      throw FlowCheck.unavailable("The cluster's store cannot be written: " + e);
    }
    desk.ask((engine, now) -> engine.registrations().remove(id, now));
  }

  @Override
  public List<FlowStatus> flows() throws SluiceException {
    List<FlowStatus> all =
        new ArrayList<>(desk.ask((engine, now) -> engine.registrations().flows(now)));
    all.addAll(history.flows(System.nanoTime()));
    all.sort(Comparator.comparingLong(FlowStatus::id));
    return all;
  }

  @Override
  public Optional<FlowStatus> flow(long id) throws SluiceException {
    return desk.ask((engine, now) -> engine.registrations().flow(id, now));
  }

  @Override
  public DeadlineSummary deadlines() throws SluiceException {
    Map<TenantId, Map<FlowState, Long>> counts = history.counts();
    return desk.ask(
        (engine, now) -> {
          for (FlowStatus flow : engine.registrations().flows(now)) {
            counts
                .computeIfAbsent(flow.tenant(), t -> new EnumMap<>(FlowState.class))
                .merge(flow.state(), 1L, Long::sum);
          }
          SwitchSight sight = engine.hosts().sight();
          return DeadlineSummary.of(counts, engine.congestedPorts(), sight.begun(), sight.ended());
        });
  }

  /** What hosts say goes there. */
  HostNews hosts() {
    return hosts;
  }

  /** What the store says goes there. */
  StoreKeeper keeper() {
    return keeper;
  }

  private boolean leads() {
    Leadership leads = leadership.getLeadership(Duties.POLICY);
    return leads != null && cluster.getLocalNode().id().equals(leads.leaderNodeId());
  }

  // ------------------------------------------------------------ the engine's thread

  @Override
  public void begin(EngineSide side) {
    loop = new DeadlineLoop(side, surroundings, history, settings.parameters(), registrar::review);
    desk.setWake(side::wake);
  }

  @Override
  public boolean isUrgent() {
    return desk.isUrgent();
  }

  @Override
  public void step(long nowNanos) {
    boolean wasOff = loop.isOff();
    loop.follow(settings.parameters(), nowNanos);
    if (wasOff && !loop.isOff()) {
      executor.execute(keeper::load); // From here on what is stored is taken in again.
    }
    desk.work(loop, nowNanos);
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

  @Override
  public void end() {
    desk.setWake(() -> {});
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
  public void seenToBegin(FlowKey connection) {
    desk.offer(true, (engine, now) -> engine.seenToBegin(connection, now));
  }

  @Override
  public void seenToEnd(FlowKey connection) {
    desk.offer(true, (engine, now) -> engine.seenToEnd(connection, now));
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
    // The engine's thread sees it for itself.
  }

  @Override
  public void withdraw() {
    keeper.stop();
    try {
      desk.ask(
          (engine, now) -> {
            engine.releaseAll(now);
            return true;
          });
      store.clear();
    } catch (SluiceException | StorageException e) {
      log.warn("Registered flows could not be withdrawn: {}", e.toString());
    }
  }
}
