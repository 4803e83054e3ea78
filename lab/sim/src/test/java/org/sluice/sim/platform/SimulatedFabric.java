// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.sluice.core.testing.Samples;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.testing.RuleText;
import org.sluice.forwarding.testing.StandingFabric;
import org.sluice.forwarding.testing.StandingNode;
import org.sluice.forwarding.testing.StandingTables;
import org.sluice.forwarding.virtual.StoredRule;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Link;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;
import org.sluice.sim.queue.DropTail;
import org.sluice.sim.shim.host.Addresses;

/** Two simulated switches, with hosts at ports 0 to 4 and a link between their ports 5. */
final class SimulatedFabric implements StandingNode, StandingFabric, StandingTables {
  private static final LinkParameters PARAMETERS = new LinkParameters(1_000_000_000, 1000, 0);
  private static final int HOSTS = 5;
  private static final long STEP_NANOS = 1_000_000;

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(1));
  private final Link between =
      network.connect(
          withHosts("s1"), withHosts("s2"), PARAMETERS, new DropTail(1), new DropTail(1));
  private final SwitchNames names = new SwitchNames(network);
  private final Addresses addresses = new Addresses(network);
  private final SimulatedPlatform simulated =
      new SimulatedPlatform(
          network,
          addresses,
          names,
          new ControlChannels(network, new ChannelParameters(STEP_NANOS, 0, 0)));
  private final FlowTables tables = new FlowTables(names, addresses, scheduler);

  SimulatedFabric() {
    between.setUp(false);
    simulated.topologyChanged();
  }

  private Switch withHosts(String name) {
    Switch made = network.addSwitch(name);
    for (int port = 0; port < HOSTS; port++) {
      Host host = network.addHost(name + "h" + port);
      network.addEndpoint(host.name(), host);
      network.connect(made, host, PARAMETERS, new DropTail(1), new DropTail(1));
    }
    return made;
  }

  @Override
  public StandingFabric fabric() {
    return this;
  }

  @Override
  public ForwardingPlatform platform() {
    return new ForwardedFabric(simulated, tables);
  }

  @Override
  public StandingTables tables() {
    return this;
  }

  /** It is there. */
  @Override
  public void connect(String name, long... ports) {
    assertThat(network.switchNamed(name).ports()).hasSizeGreaterThan(ports.length);
  }

  @Override
  public void link(String a, String b) {
    assertThat(Stream.of(a, b)).containsExactlyInAnyOrder("s1/5", "s2/5");
    between.setUp(true);
    simulated.topologyChanged();
  }

  @Override
  public void until(Runnable assertion) {
    scheduler.runUntil(scheduler.now() + STEP_NANOS);
    assertion.run();
  }

  @Override
  public void close() {}

  private Stream<StoredRule> rules(String datapath, RuleTable.State state) {
    return tables.entries(datapath).stream()
        .map(StoredRule.class::cast)
        .filter(rule -> rule.state() == state);
  }

  @Override
  public List<String> rules(String name) {
    return rules(Samples.datapath(name), RuleTable.State.CONFIRMED)
        .map(StoredRule::rule)
        .map(RuleText::of)
        .sorted()
        .toList();
  }

  @Override
  public int refused() {
    return names.datapaths().stream()
        .mapToInt(datapath -> (int) rules(datapath, RuleTable.State.REFUSED).count())
        .sum();
  }

  @Override
  public List<Long> meterRates(String name) {
    return tables.meterRates(Samples.datapath(name));
  }

  /** The platform knows what its switches have. */
  @Override
  public void poll() {}
}
