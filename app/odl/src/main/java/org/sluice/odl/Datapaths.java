// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl;

import java.util.Optional;
import java.util.OptionalLong;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.Nodes;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnector;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnectorKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.NodeKey;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.api.PortId;

/**
 * The names of switches and ports: Sluice's {@code of:000000000000000a} and port 2 are
 * OpenDaylight's {@code openflow:10} and {@code openflow:10:2}.
 */
public final class Datapaths {
  private static final String OPENFLOW = "openflow:";
  private static final String OURS = "of:";
  private static final int HEXADECIMAL = 16;

  private Datapaths() {}

  /** Sluice's name of a node; empty: it is no OpenFlow switch. */
  public static Optional<String> datapath(String nodeId) {
    if (!nodeId.startsWith(OPENFLOW)) {
      return Optional.empty();
    }
    OptionalLong number = number(nodeId.substring(OPENFLOW.length()));
    return number.isPresent()
        ? Optional.of(OURS + String.format("%016x", number.getAsLong()))
        : Optional.empty();
  }

  /** OpenDaylight's name of a switch. */
  public static String nodeId(String datapath) {
    return OPENFLOW
        + Long.toUnsignedString(
            Long.parseUnsignedLong(datapath.substring(OURS.length()), HEXADECIMAL));
  }

  /** A switch port; empty: it is none, or a reserved one such as LOCAL. */
  public static Optional<PortId> port(String connectorId) {
    int colon = connectorId.lastIndexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    OptionalLong number = number(connectorId.substring(colon + 1));
    return datapath(connectorId.substring(0, colon))
        .filter(datapath -> number.isPresent())
        .map(datapath -> PortId.of(datapath, number.getAsLong()));
  }

  /** Where a switch stands in the inventory. */
  public static InstanceIdentifier<Node> node(String datapath) {
    return InstanceIdentifier.builder(Nodes.class)
        .child(Node.class, new NodeKey(new NodeId(nodeId(datapath))))
        .build();
  }

  /** Where a port stands in the inventory. */
  public static InstanceIdentifier<NodeConnector> connector(PortId port) {
    return node(port.datapath())
        .child(
            NodeConnector.class,
            new NodeConnectorKey(
                new NodeConnectorId(nodeId(port.datapath()) + ":" + port.number())));
  }

  private static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseUnsignedLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
