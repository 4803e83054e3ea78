// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import com.google.common.util.concurrent.Futures;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.inventory.rev130819.FlowCapableNode;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.inventory.rev130819.FlowCapableNodeConnector;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.Nodes;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnector;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.spi.SwitchEvents;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

/**
 * Switches of the operational inventory. A switch is connected while it has a port there, and each
 * has one that is its own.
 */
final class OdlSwitches implements Switches, SwitchEvents {
  private static final long BITS_PER_KILOBIT = 1000;

  /** What Open vSwitch describes itself by where nobody has. */
  private static final String NO_DESCRIPTION = "None";

  private static final InstanceIdentifier<FlowCapableNodeConnector> PORTS =
      InstanceIdentifier.builder(Nodes.class)
          .child(Node.class)
          .child(NodeConnector.class)
          .augmentation(FlowCapableNodeConnector.class)
          .build();

  private final Mdsal mdsal;
  private final Executor reader;
  private final Epoch epoch = new Epoch();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Known> switches = new ConcurrentHashMap<>();

  /** A switch; its ports by OpenDaylight's name, reserved ones among them. */
  private static final class Known {
    private final Map<String, FlowCapableNodeConnector> ports = new ConcurrentHashMap<>();
    private volatile String name = "";
    private volatile boolean connected;
  }

  /**
   * None yet.
   *
   * @param reader reads the datastore, which may wait
   */
  OdlSwitches(Mdsal mdsal, Executor reader) {
    this.mdsal = mdsal;
    this.reader = reader;
  }

  Registration start() {
    return mdsal.listen(LogicalDatastoreType.OPERATIONAL, PORTS, this::changed);
  }

  /** One thread. */
  private void changed(Collection<DataTreeModification<FlowCapableNodeConnector>> changes) {
    Set<String> touched = new HashSet<>();
    for (DataTreeModification<FlowCapableNodeConnector> change : changes) {
      InstanceIdentifier<FlowCapableNodeConnector> path = change.getRootPath().getRootIdentifier();
      String connector = path.firstKeyOf(NodeConnector.class).getId().getValue();
      Datapaths.datapath(path.firstKeyOf(Node.class).getId().getValue())
          .ifPresent(
              datapath -> {
                portChanged(datapath, connector, change.getRootNode().getDataAfter());
                touched.add(datapath);
              });
    }
    touched.forEach(datapath -> follow(datapath, switches.get(datapath)));
    epoch.advance();
  }

  private void portChanged(String datapath, String connector, FlowCapableNodeConnector now) {
    Known known = switches.computeIfAbsent(datapath, key -> new Known());
    if (now == null) {
      known.ports.remove(connector);
    } else {
      known.ports.put(connector, now);
    }
  }

  /** A switch that left keeps no port: it reports them anew when it returns. */
  private void follow(String datapath, Known known) {
    boolean connected = !known.ports.isEmpty();
    if (connected == known.connected) {
      return;
    }
    known.connected = connected;
    if (connected) {
      reader.execute(() -> describe(datapath, known));
      listeners.forEach(listener -> listener.returned(datapath));
    } else {
      listeners.forEach(listener -> listener.gone(datapath));
    }
  }

  private void describe(String datapath, Known known) {
    String name = described(datapath).map(String::strip).orElse("");
    if (!name.equals(known.name)) {
      known.name = name;
      epoch.advance();
    }
  }

  private Optional<String> described(String datapath) {
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      return Futures.getUnchecked(
              transaction.read(
                  LogicalDatastoreType.OPERATIONAL,
                  Datapaths.node(datapath).augmentation(FlowCapableNode.class)))
          .map(FlowCapableNode::getDescription)
          .filter(text -> !text.isBlank() && !text.equals(NO_DESCRIPTION));
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<String> connected() {
    return switches.entrySet().stream()
        .filter(each -> each.getValue().connected)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public Collection<String> known() {
    return List.copyOf(switches.keySet());
  }

  @Override
  public String name(String datapath) {
    Known known = switches.get(datapath);
    return known == null || known.name.isEmpty() ? datapath : known.name;
  }

  @Override
  public boolean isConnected(String datapath) {
    Known known = switches.get(datapath);
    return known != null && known.connected;
  }

  @Override
  public Collection<SwitchPort> ports(String datapath) {
    Known known = switches.get(datapath);
    if (known == null) {
      return List.of();
    }
    return known.ports.entrySet().stream()
        .filter(each -> isUp(each.getValue()))
        .flatMap(
            each ->
                Datapaths.port(each.getKey()).map(id -> port(id, each.getValue(), known)).stream())
        .toList();
  }

  private static boolean isUp(FlowCapableNodeConnector port) {
    return (port.getState() == null || !Boolean.TRUE.equals(port.getState().getLinkDown()))
        && (port.getConfiguration() == null
            || !Boolean.TRUE.equals(port.getConfiguration().getPORTDOWN()));
  }

  private static SwitchPort port(PortId id, FlowCapableNodeConnector port, Known known) {
    long speed =
        port.getCurrentSpeed() == null ? 0 : port.getCurrentSpeed().longValue() * BITS_PER_KILOBIT;
    String name = port.getName() == null ? "" : port.getName().strip();
    SwitchPort found = SwitchPort.of(id, speed);
    if (known.name.isEmpty() && name.isEmpty()) {
      return found;
    }
    String portName = name.isEmpty() ? String.valueOf(id.number()) : name;
    return found.named(known.name.isEmpty() ? portName : known.name + ":" + portName);
  }

  @Override
  public boolean hasPort(PortId port) {
    Known known = switches.get(port.datapath());
    return known != null
        && known.ports.containsKey(Datapaths.nodeId(port.datapath()) + ":" + port.number());
  }

  /** Another node, or this one, has become a switch's master. */
  void masterChanged(String datapath) {
    listeners.forEach(listener -> listener.masterChanged(datapath));
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }
}
