// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.onosproject.cluster.ClusterService;
import org.onosproject.cluster.ControllerNode;
import org.onosproject.net.device.DeviceService;
import org.sluice.api.IpAddress;
import org.sluice.api.SettingService;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterService;

/** Prints how to connect a switch for fast counters. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-switch-setup",
    description =
        "Prints the command that connects an Open vSwitch to Sluice for fast counters, beside ONOS")
public final class SwitchSetupCommand extends SluiceCommand {
  private static final String ADDRESS = "--address";

  static final Listing<SwitchSetup> LISTING =
      new Listing<SwitchSetup>("switches")
          .column("bridge", "BRIDGE", SwitchSetup::bridge)
          .column("targets", "TARGETS", SwitchSetup::targets)
          .column("command", "COMMAND", SwitchSetup::command);

  private static final String REMEDY = "Use addresses at which the switch reaches ONOS's nodes";

  @Argument(
      name = "bridge",
      description = "Bridge on the switch, such as br0; options may also follow",
      required = true,
      multiValued = true)
  @Completion(BridgeCompleter.class)
  private List<String> arguments;

  @Option(
      name = "-a",
      aliases = ADDRESS,
      description =
          "A node's address as the switch reaches it; default: the addresses of the cluster's"
              + " nodes",
      multiValued = true)
  private List<String> addresses;

  /** Switches whose local ports have no names may have any bridge. */
  private void requireConnected(String name) throws SluiceException {
    Bridges bridges = Bridges.of(service(DeviceService.class));
    if (!bridges.mayBe(name)) {
      throw SluiceException.invalid(
          "bridge",
          name,
          "No switch that is connected has a bridge of this name",
          "Use one of "
              + String.join(", ", bridges.names())
              + ", or connect the switch to ONOS first");
    }
  }

  @Override
  void run() throws SluiceException, JsonProcessingException {
    TrailingOptions behind =
        behind(arguments.subList(1, arguments.size()), Map.of("-a", ADDRESS), List.of());
    String name =
        Arguments.parse(
            "bridge", arguments.get(0), SwitchSetup::bridge, "ovs-vsctl list-br lists them");
    requireConnected(name);
    List<IpAddress> nodes = new ArrayList<>();
    List<String> before = addresses == null ? List.of() : addresses;
    for (String address : behind.all(ADDRESS, before)) {
      nodes.add(Arguments.parse("address", address, IpAddress::parse, REMEDY));
    }
    if (nodes.isEmpty()) {
      for (ControllerNode node : service(ClusterService.class).getNodes()) {
        nodes.add(IpAddress.of(node.ip().toOctets()));
      }
    }
    int port =
        service(CounterService.class)
            .listenPort()
            .orElseThrow(
                () ->
                    new SluiceException(
                        SluiceException.Kind.UNAVAILABLE,
                        "fastCounters",
                        "off",
                        "Fast counters are switched off",
                        service(SettingService.class).command("fastCounters", "on")));
    SwitchSetup setup = new SwitchSetup(name, nodes, port);
    if (outputJson()) {
      show(LISTING, List.of(setup));
    } else {
      print("%s", setup.command());
    }
  }
}
