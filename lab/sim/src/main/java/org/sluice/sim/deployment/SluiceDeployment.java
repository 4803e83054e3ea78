// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.sluice.api.JournalService;
import org.sluice.api.Tenant;
import org.sluice.core.Controller;
import org.sluice.sim.agent.DeadlineFunction;
import org.sluice.sim.agent.HintFunction;
import org.sluice.sim.agent.HostAgent;
import org.sluice.sim.agent.LawFunction;
import org.sluice.sim.agent.LevelFunction;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.agent.LevelQueues;
import org.sluice.sim.agent.LossFunction;
import org.sluice.sim.agent.PairReports;
import org.sluice.sim.agent.PortAgent;
import org.sluice.sim.agent.QueueCounts;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.AgentLinks;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.platform.ControllerNode;
import org.sluice.sim.platform.Outage;
import org.sluice.sim.platform.SwitchNames;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.sluice.SluiceShim;

/** Sluice on a network: an agent with its shim on each host, and the product's controller. */
public final class SluiceDeployment implements ControlTraffic {
  private final Network network;
  private final Addresses addresses;
  private final List<Outage> absences;
  private final ControlChannels channels;
  private final ControllerNode controller;
  private final Operator operator;
  private final Map<Host, HostAgent> agents = new LinkedHashMap<>();
  private final Map<Host, LawFunction> laws = new LinkedHashMap<>();
  private final Map<Host, LevelFunction> levels = new LinkedHashMap<>();
  private final List<LevelQueues> levelQueues = new ArrayList<>();
  private final HintRecord hints;
  private final FlowRegistrations registrations;
  private final Event tenantsChanged = Event.running(this::writeTenants);

  private SluiceDeployment(Network network, SluiceParameters parameters) {
    this.network = network;
    this.addresses = new Addresses(network);
    SwitchNames names = new SwitchNames(network);
    this.registrations = new FlowRegistrations(network.scheduler(), addresses);
    this.channels = new ControlChannels(network, parameters.channel());
    AgentLinks links = new AgentLinks(network.scheduler(), channels);
    this.controller =
        new ControllerNode(
            network,
            addresses,
            names,
            channels,
            links,
            parameters.settings(),
            parameters.forwards());
    this.operator =
        new Operator(addresses, network.endpoints().size(), parameters.shim().preserveEcn());
    parameters.levels().ifPresent(each -> installQueues(parameters, each.levels()));
    this.hints = new HintRecord(network.scheduler(), network.hosts().size());
    parameters.hints().ifPresent(each -> operator.setPolicies(each.policies()));
    for (int i = 0; i < network.hosts().size(); i++) {
      Host host = network.hosts().get(i);
      if (parameters.withoutAgent() == 0 || (i + 1) % parameters.withoutAgent() != 0) {
        agents.put(host, hostAgent(host, links, parameters));
      }
    }
    if (parameters.portAgents()) {
      for (Switch each : network.switches()) {
        portAgent(each, names, links, parameters);
      }
    }
    long leaseNanos = parameters.sessionLeaseNanos();
    parameters.cutOffs().forEach(outage -> links.cutOff(outage, leaseNanos));
    absences = parameters.absences();
  }

  private HostAgent hostAgent(Host host, AgentLinks links, SluiceParameters parameters) {
    HostAgent agent = new HostAgent(network, host, addresses, links);
    if (parameters.limits()) {
      LawFunction law =
          new LawFunction(network, host, agent.connection(), addresses, parameters.shim());
      laws.put(host, law);
      agent.add(law);
    }
    if (parameters.levels().isPresent()) {
      LevelParameters own = parameters.levels().get();
      LevelFunction added =
          new LevelFunction(network, host, agent.connection(), addresses, own, laws.get(host));
      levels.put(host, added);
      agent.add(added);
    }
    parameters.hints().ifPresent(each -> addHints(agent, host, each));
    if (parameters.deadlines().isPresent()) { // Its shim stands above the law's.
      SedSettings settings = parameters.deadlines().get();
      DeadlineFunction deadlines =
          new DeadlineFunction(network, host, agent.connection(), addresses, settings);
      registrations.add(host, deadlines);
      agent.add(deadlines);
    }
    return agent;
  }

  /** A law's shim reports whom its endpoints send to; without one an observer of the NIC does. */
  private void addHints(HostAgent agent, Host host, HintParameters parameters) {
    if (!laws.containsKey(host)) {
      agent.add(new PairReports(network, host, agent.connection(), addresses));
    }
    agent.add(
        new HintFunction(
            host,
            agent.connection(),
            addresses,
            parameters.routes(),
            parameters.tickNanos(),
            hints));
  }

  /** Hosts whose agents limit them keep the law's classes. */
  private void installQueues(SluiceParameters parameters, int count) {
    LevelQueueParameters queues = parameters.levelQueues();
    for (Port port : network.ports()) {
      if (port.owner() instanceof Switch || queues.hosts() && !parameters.limits()) {
        queues.install(port, count);
      }
    }
  }

  private void portAgent(
      Switch each, SwitchNames names, AgentLinks links, SluiceParameters parameters) {
    PortAgent agent = new PortAgent(each, names, links);
    LevelQueues queues = null;
    if (parameters.levels().isPresent()) {
      queues = new LevelQueues(network.scheduler(), each, names, addresses);
      levelQueues.add(queues);
      agent.add(queues);
    }
    agent.add(new QueueCounts(network, each, names, agent.connection(), queues));
    if (parameters.deadlines().isPresent()) {
      agent.add(new LossFunction(network, each, names, agent.connection(), addresses));
    }
  }

  private void begin() {
    controller.start();
    writeTenants();
    controller.controller().map(Controller::policies).ifPresent(operator::apply);
  }

  /**
   * Puts shims on all hosts of a network that is complete, with its routes, and without traffic.
   * The controller is not there yet.
   */
  public static SluiceDeployment prepare(Network network, SluiceParameters parameters) {
    return new SluiceDeployment(network, parameters);
  }

  /** Prepares and starts. */
  public static SluiceDeployment install(Network network, SluiceParameters parameters) {
    SluiceDeployment deployment = prepare(network, parameters);
    deployment.start();
    return deployment;
  }

  /** The controller starts, for as long as it is not absent. */
  public void start() {
    begin();
    for (Outage absence : absences) {
      at(absence.fromNanos(), controller::stop);
      if (absence.toNanos() != Outage.FOR_EVER) {
        at(absence.toNanos(), this::begin);
      }
    }
  }

  /**
   * Changes an endpoint's weight at a time.
   *
   * @param weight above 0
   */
  public void setWeight(Endpoint endpoint, double weight, long atNanos) {
    change(atNanos, () -> operator.setWeight(endpoint, weight));
  }

  /**
   * Has endpoints share what a tenant is due, from a time on.
   *
   * @param members beside those that it has
   */
  public void setTenant(Tenant tenant, List<Endpoint> members, long atNanos) {
    change(atNanos, () -> operator.setTenant(tenant, members));
  }

  /** Changes an endpoint's guarantee at a time; 0 is none. */
  public void setGuarantee(Endpoint endpoint, long bitsPerSecond, long atNanos) {
    change(atNanos, () -> operator.setGuarantee(endpoint, bitsPerSecond));
  }

  /** Changes an endpoint's ceiling at a time; 0 is its NIC's capacity. */
  public void setCeiling(Endpoint endpoint, long bitsPerSecond, long atNanos) {
    change(atNanos, () -> operator.setCeiling(endpoint, bitsPerSecond));
  }

  /**
   * Changes what may arrive at an endpoint at a time; 0 is its tenant's receive ceiling, if any.
   */
  public void setReceiveCeiling(Endpoint endpoint, long bitsPerSecond, long atNanos) {
    change(atNanos, () -> operator.setReceiveCeiling(endpoint, bitsPerSecond));
  }

  private void change(long nanos, Runnable change) {
    at(
        nanos,
        () -> {
          change.run();
          if (controller.controller().isPresent() && !tenantsChanged.isArmed()) {
            network.scheduler().arm(tenantsChanged, network.scheduler().now());
          }
        });
  }

  /** An operator who finds no controller comes back when there is one. */
  private void writeTenants() {
    controller.controller().map(Controller::tenants).ifPresent(operator::write);
  }

  /** A host's agent dies, or starts again, now. */
  public void setAgentUp(Host host, boolean up) {
    if (up) {
      agents.get(host).start();
    } else {
      agents.get(host).kill();
    }
  }

  /** An endpoint lives on another host than before; links and routes are another matter. */
  public void moved(Endpoint endpoint, Host from) {
    addresses.follow(endpoint);
    for (Host host : List.of(from, endpoint.host())) {
      Optional.ofNullable(agents.get(host)).ifPresent(HostAgent::endpointsChanged);
    }
  }

  /** Kills a host's agent at a time: its limits stay for a lease, then it is open. */
  public void killAgent(Host host, long atNanos) {
    at(atNanos, agents.get(host)::kill);
  }

  /** Stops a host's agent at a time: it is open at once. */
  public void stopAgent(Host host, long atNanos) {
    at(atNanos, agents.get(host)::stop);
  }

  /** To be called when routes were computed anew, or a port has another capacity. */
  public void topologyChanged() {
    controller.topologyChanged();
  }

  /** A host's shim that limits what it sends. */
  public SluiceShim shim(Host host) {
    return laws.get(host).shim();
  }

  /** Deadlines of its hosts' applications. */
  public FlowRegistrations registrations() {
    return registrations;
  }

  /** At which sizes a host's flows leave a level for the next, now, IP bytes. */
  public long[] levelThresholdsBytes(Host host) {
    return levels.get(host).thresholdsBytes();
  }

  /** Caps that port agents were sent: set, or renewed. */
  public long caps() {
    return levelQueues.stream().mapToLong(LevelQueues::caps).sum();
  }

  /** What hosts were hinted. */
  public HintRecord hints() {
    return hints;
  }

  /** The controller; empty while there is none. */
  public Optional<Controller> controller() {
    return controller.controller();
  }

  /** What was decided, and why. */
  public JournalService journal() {
    return controller.journal();
  }

  /** Messages from hosts to the controller, lost ones too. */
  public long messagesUp() {
    return sum(AgentConnection::sentUp);
  }

  /** Messages from the controller to hosts, lost ones too. */
  public long messagesDown() {
    return sum(AgentConnection::sentDown);
  }

  public long messagesLost() {
    return sum(AgentConnection::lost);
  }

  private long sum(ToLongFunction<AgentConnection> count) {
    return agents.values().stream().map(HostAgent::connection).mapToLong(count).sum();
  }

  @Override
  public long controllerMessages() {
    return channels.sent();
  }

  /** Feedback messages between shims. */
  @Override
  public long hostMessages() {
    return laws.values().stream().mapToLong(law -> law.shim().messagesSent()).sum();
  }

  /** Runs something at a time; at once if that is now. */
  private void at(long nanos, Runnable action) {
    if (nanos <= network.scheduler().now()) {
      action.run();
      return;
    }
    network.scheduler().arm(Event.running(action), nanos);
  }
}
