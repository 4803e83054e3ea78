// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.api.CertificateService;
import org.sluice.api.DoctorService;
import org.sluice.api.EndpointService;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalService;
import org.sluice.api.PortService;
import org.sluice.api.SettingService;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantService;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterService;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.history.RateHistoryService;
import org.sluice.api.link.AgentLink;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.queue.QueueService;
import org.sluice.api.topology.TopologyService;
import org.sluice.api.why.ExplanationService;
import org.sluice.core.agentless.AgentlessEndpoints;
import org.sluice.core.agentless.AgentlessTraffic;
import org.sluice.core.certificate.PeerCertifier;
import org.sluice.core.claim.ClaimKeeper;
import org.sluice.core.cluster.ClusterClock;
import org.sluice.core.cluster.NodeReports;
import org.sluice.core.cluster.StoreWatch;
import org.sluice.core.counter.CounterRunner;
import org.sluice.core.deadline.DeadlineContext;
import org.sluice.core.deadline.DeadlineRunner;
import org.sluice.core.deadline.RegisteredFlows;
import org.sluice.core.doctor.Doctor;
import org.sluice.core.feedback.MarkRelay;
import org.sluice.core.history.RateRecorder;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.link.LinkRunner;
import org.sluice.core.link.LinkServer;
import org.sluice.core.loop.DecisionOutbox;
import org.sluice.core.loop.EndpointPaths;
import org.sluice.core.loop.EngineFeed;
import org.sluice.core.loop.EngineInputs;
import org.sluice.core.loop.EngineLoop;
import org.sluice.core.loop.MasteredPorts;
import org.sluice.core.loop.NicCapacities;
import org.sluice.core.loop.ReceivePorts;
import org.sluice.core.micro.MicroFlowContext;
import org.sluice.core.micro.MicroFlowRunner;
import org.sluice.core.notice.NoticeDispatcher;
import org.sluice.core.opentcp.OracleRunner;
import org.sluice.core.profile.CeilingParts;
import org.sluice.core.profile.ProfilePublisher;
import org.sluice.core.registry.EndpointLocations;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.EndpointRegistry;
import org.sluice.core.registry.HostRegistry;
import org.sluice.core.registry.NamedPorts;
import org.sluice.core.registry.PortRegistry;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.registry.RetiredHosts;
import org.sluice.core.runtime.Execution;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.sampling.SamplingRunner;
import org.sluice.core.setting.OperatorSettings;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.silent.SilentEndpoints;
import org.sluice.core.spi.Platform;
import org.sluice.core.tenant.ConfiguredTenants;
import org.sluice.core.tenant.EndpointDirectory;
import org.sluice.core.tenant.TenantRateDirectory;
import org.sluice.core.tenant.TenantStore;
import org.sluice.core.topology.PortNames;
import org.sluice.core.topology.TopologyDirectory;
import org.sluice.core.why.Explanations;
import org.sluice.engine.Engine;

/**
 * One controller node on a platform: puts the parts together, starts them and stops them. It owns
 * the engine thread; everything else reaches that through one inbox.
 */
public final class Controller {
  private final LinkRunner link;
  private final HostRegistry hosts;
  private final EndpointRegistry endpoints;
  private final RetiredHosts retiredHosts;
  private final EndpointLocations locations;
  private final PortRegistry ports;
  private final PortService namedPorts;
  private final TenantStore tenants;
  private final TenantRateDirectory tenantRates;
  private final EndpointDirectory directory;
  private final CounterRunner counters;
  private final DeadlineRunner deadlines;
  private final MicroFlowRunner queues;
  private final OracleRunner oracle;
  private final RateRecorder history;
  private final EngineLoop loop;
  private final NodeReports cluster;
  private final Doctor doctor;
  private final Explanations explanations;
  private final TopologyDirectory topology;
  private final NodeJournal journal;
  private final SettingService settings;
  private final Execution execution;

  /** What is to be stopped, in this order. */
  private final Deque<Runnable> started = new ArrayDeque<>();

  private final Runnable startAll;

  /**
   * A node that is not started yet.
   *
   * @param settings what an operator set; the adapter feeds it
   * @param clockMillis the time of day, ms since the epoch, which never goes back
   */
  public Controller(
      Platform platform,
      Settings settings,
      NodeJournal journal,
      Execution execution,
      LongSupplier clockMillis,
      LinkServer.Factory linkFactory,
      CounterReader.Factory counterFactory,
      SampleCollector.Factory sampleFactory) {
    this.execution = execution;
    this.journal = journal;
    this.settings = new OperatorSettings(settings, platform.diagnosis());
    ClusterClock clusterClock =
        new ClusterClock(
            settings,
            platform.nodes(),
            platform.leadership(),
            platform.storage(),
            execution,
            clockMillis);
    link = new LinkRunner(settings, journal, execution, linkFactory);
    hosts =
        new HostRegistry(
            link, journal, execution.clock(), () -> settings.get(SettingTable.LEASE_MILLIS));
    endpoints = new EndpointRegistry(link, journal);
    retiredHosts =
        new RetiredHosts(settings, link, hosts, endpoints, platform.storage(), journal, execution);
    locations =
        new EndpointLocations(
            platform.hostSightings(),
            platform.switches(),
            platform.attachments(),
            endpoints,
            platform.topology(),
            platform.mastership(),
            execution);
    AgentlessEndpoints all =
        new AgentlessEndpoints(
            endpoints,
            locations,
            platform.hostSightings(),
            platform.attachments(),
            platform.topology(),
            execution);
    topology =
        new TopologyDirectory(
            platform.switches(),
            platform.topology(),
            platform.hostSightings(),
            endpoints,
            locations);
    ports = new PortRegistry(platform.switches(), platform.configuration());
    tenants =
        new TenantStore(settings, platform.storage(), endpoints, locations, hosts, ports, journal);
    ClaimKeeper claims =
        new ClaimKeeper(
            endpoints,
            tenants,
            locations,
            platform.switches(),
            platform.configuration(),
            platform.leadership(),
            platform.storage(),
            execution,
            clusterClock::steadyMillis);
    ConfiguredTenants configuredTenants =
        new ConfiguredTenants(platform.configuration(), tenants, journal);
    counters = new CounterRunner(settings, platform, ports, journal, execution, counterFactory);
    NoticeDispatcher notices =
        new NoticeDispatcher(
            settings, link, endpoints, locations, platform, journal, execution, clockMillis);

    MarkRelay marks = new MarkRelay(link, endpoints);

    EngineInbox inbox = new EngineInbox(execution);
    MasteredPorts authority =
        new MasteredPorts(
            platform.mastership(),
            platform.leadership(),
            platform.switches(),
            clusterClock::steadyMillis);
    ReceivePorts receivers = new ReceivePorts(link, endpoints, tenants, platform.receiversMark());
    EndpointPaths paths =
        new EndpointPaths(
            platform.topology(),
            platform.attachments(),
            all,
            locations,
            platform.forwarding(),
            receivers);
    CeilingParts ceilings = new CeilingParts();
    DecisionOutbox outbox = new DecisionOutbox(link, notices, ceilings, authority::term);
    Engine engine =
        new Engine(
            paths,
            authority,
            outbox,
            journal.journal(),
            EngineInputs.engineParameters(settings.parameters()));
    NicCapacities nics = new NicCapacities(engine, all, locations, ports);
    EngineInputs inputs =
        new EngineInputs(
            engine, settings, all, tenants, ports, nics, receivers, platform.topology(), counters);
    DeadlineContext context =
        new DeadlineContext(
            engine,
            paths,
            authority,
            link,
            endpoints,
            locations,
            tenants,
            ports,
            platform.packetOut(),
            clockMillis.getAsLong());
    deadlines =
        new DeadlineRunner(
            settings,
            context,
            inbox,
            platform.leadership(),
            platform.storage(),
            clusterClock,
            journal,
            execution);
    queues =
        new MicroFlowRunner(
            settings,
            new MicroFlowContext(
                engine,
                paths,
                authority,
                authority::term,
                link,
                endpoints,
                tenants,
                ports,
                platform,
                journal),
            inbox,
            execution);
    oracle =
        new OracleRunner(
            settings,
            platform,
            link,
            endpoints,
            locations,
            ports,
            inbox,
            journal,
            execution,
            clusterClock::steadyMillis,
            () -> cluster().storeFault().isEmpty());
    SilentEndpoints silent =
        new SilentEndpoints(
            settings,
            platform,
            link,
            link::listens,
            all,
            locations,
            ports,
            tenants,
            inbox,
            engine,
            journal,
            execution);
    AgentlessTraffic agentless = new AgentlessTraffic(all, engine);
    EngineFeed feed =
        new EngineFeed(inbox, engine, nics, List.of(queues, oracle, agentless), execution.clock());
    loop =
        new EngineLoop(
            settings,
            execution.clock(),
            inbox,
            engine,
            inputs,
            outbox,
            deadlines,
            List.of(queues, oracle, agentless));
    directory = new EndpointDirectory(endpoints, tenants, locations, link, loop::traffic);
    PortNames portNames = new PortNames(ports::name, topology, execution);
    namedPorts = new NamedPorts(loop, portNames::name);
    journal.journal().setPortNames(portNames::name);
    history = new RateRecorder(directory, namedPorts, tenants, execution);
    explanations =
        new Explanations(inbox, engine, directory, tenants, hosts, namedPorts, journal, deadlines);
    SamplingRunner sampling =
        new SamplingRunner(settings, journal, execution, sampleFactory, queues);
    tenantRates =
        new TenantRateDirectory(settings, tenants, endpoints, loop::delivered, loop::scaledFloors);
    PeerCertifier certifier =
        new PeerCertifier(
            link,
            endpoints,
            platform.leadership(),
            platform.storage(),
            execution,
            clusterClock::steadyMillis);
    ProfilePublisher profiles =
        new ProfilePublisher(
            settings,
            link,
            endpoints,
            tenants,
            deadlines,
            queues.levels(),
            ceilings,
            platform.leadership(),
            certifier,
            platform.receiversMark(),
            execution,
            clusterClock::steadyMillis);
    StoreWatch storeWatch =
        new StoreWatch(
            platform.storage(),
            execution,
            List.of(tenants::reload, deadlines::reload, oracle::reload, retiredHosts::reload));
    cluster = new NodeReports(settings, platform, execution, storeWatch::fault, clusterClock);
    doctor =
        new Doctor(
            settings,
            platform,
            ports,
            counters,
            loop,
            loop::scaledFloors,
            loop::refusedPairs,
            queues::unenforcedCaps,
            oracle.policies(),
            sampling,
            hosts,
            tenants,
            endpoints,
            directory,
            silent::states,
            link,
            cluster,
            clusterClock::aheadMicros,
            execution);

    startAll =
        () -> {
          start(clusterClock::start, clusterClock::stop);
          start(receivers::start, receivers::stop);
          start(endpoints::start, endpoints::stop);
          start(hosts::start, hosts::stop);
          start(retiredHosts::start, retiredHosts::stop);
          start(ports::start, ports::stop);
          start(locations::start, locations::stop);
          start(all::start, all::stop);
          start(tenants::start, tenants::stop);
          start(configuredTenants::start, configuredTenants::stop);
          start(claims::start, claims::stop);
          start(directory::start, directory::stop);
          start(notices::start, notices::stop);
          start(marks::start, marks::stop);
          start(deadlines::start, deadlines::stop);
          start(queues::start, queues::stop);
          start(oracle::start, oracle::stop);
          startEngine(inbox);
          start(() -> link.addListener(feed), () -> link.removeListener(feed));
          start(() -> counters.addListener(feed), () -> counters.removeListener(feed));
          start(counters::start, counters::stop);
          start(sampling::start, sampling::stop);
          start(profiles::start, profiles::stop);
          start(silent::start, silent::stop);
          start(certifier::start, certifier::stop);
          start(storeWatch::start, storeWatch::stop);
          start(cluster::start, cluster::stop);
          start(doctor::start, doctor::stop);
          start(history::start, history::stop);
          start(portNames::start, portNames::stop);
          start(link::start, link::stop);
          started.push(queues::withdraw);
        };
  }

  private void startEngine(EngineInbox inbox) {
    Execution.Loop thread = execution.loop("engine", loop);
    inbox.setWake(thread::wake);
    started.push(
        () -> {
          inbox.setWake(() -> {});
          thread.close();
        });
  }

  private void start(Runnable start, Runnable stop) {
    start.run();
    started.push(stop);
  }

  /** Starts everything; if something fails, what was started is stopped again. */
  public void start() {
    try {
      startAll.run();
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  /** Stops everything, the last first. What hosts and switches have stays with them. */
  public void stop() {
    while (!started.isEmpty()) {
      started.pop().run();
    }
  }

  /** The link to the hosts' agents. */
  public AgentLink link() {
    return link;
  }

  public CertificateService certificates() {
    return link;
  }

  public HostDirectory hosts() {
    return hosts;
  }

  /** Takes hosts out of service. */
  public HostAdminService hostAdmin() {
    return retiredHosts;
  }

  public EndpointService endpoints() {
    return directory;
  }

  public TenantAdminService tenants() {
    return tenants;
  }

  public TenantRateService tenantRates() {
    return tenantRates;
  }

  /** What tenants got in the last hour. */
  public RateHistoryService rateHistory() {
    return history;
  }

  public TopologyService topology() {
    return topology;
  }

  public PortService ports() {
    return namedPorts;
  }

  public CounterService counters() {
    return counters;
  }

  public FlowAdminService flows() {
    return deadlines.manager();
  }

  /** Queues of ports, background flows and caps. */
  public QueueService queues() {
    return queues;
  }

  /** Congestion control policies. */
  public PolicyService policies() {
    return oracle.policies();
  }

  /** Why endpoints get no more than they do. */
  public ExplanationService explanations() {
    return explanations;
  }

  /** The controllers' cluster. */
  public ClusterService cluster() {
    return cluster;
  }

  public DoctorService doctor() {
    return doctor;
  }

  /** Endpoints as agents report them, for the adapter's own parts. */
  public ReportedEndpoints reportedEndpoints() {
    return endpoints;
  }

  /** Behind which edge ports endpoints are, for the adapter's own parts. */
  public EndpointLocator locator() {
    return locations;
  }

  /** Registrations, for the adapter's part that has switches report their connections. */
  public RegisteredFlows registeredFlows() {
    return deadlines;
  }

  /** What the node offers to commands, REST and page: each service by its interface. */
  public Map<Class<?>, Object> services() {
    Map<Class<?>, Object> services = new LinkedHashMap<>();
    services.put(JournalService.class, journal);
    services.put(HostDirectory.class, hosts());
    services.put(HostAdminService.class, hostAdmin());
    services.put(CertificateService.class, certificates());
    services.put(EndpointService.class, endpoints());
    services.put(TenantService.class, tenants());
    services.put(TenantAdminService.class, tenants());
    services.put(TenantRateService.class, tenantRates());
    services.put(RateHistoryService.class, rateHistory());
    services.put(TopologyService.class, topology());
    services.put(PortService.class, ports());
    services.put(CounterService.class, counters());
    services.put(FlowService.class, flows());
    services.put(FlowAdminService.class, flows());
    services.put(QueueService.class, queues());
    services.put(PolicyService.class, policies());
    services.put(ExplanationService.class, explanations());
    services.put(DoctorService.class, doctor());
    services.put(ClusterService.class, cluster());
    services.put(SettingService.class, settings);
    return services;
  }
}
