// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.api.WriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.inventory.rev130819.FlowCapableNodeBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.inventory.rev130819.FlowCapableNodeConnectorBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.port.rev130925.flow.capable.port.StateBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnector;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnectorBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.NodeBuilder;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.sluice.api.PortId;
import org.sluice.core.spi.SwitchPort;
import org.sluice.forwarding.spi.SwitchEvents;
import org.sluice.odl.DataBrokers;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

class OdlSwitchesTest {
  private static final String S1 = "of:0000000000000001";

  private final Mdsal mdsal = DataBrokers.mdsal();
  private final OdlSwitches switches = new OdlSwitches(mdsal, Runnable::run);
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private Registration registration;

  @BeforeEach
  void start() {
    switches.addListener(
        new SwitchEvents.Listener() {
          @Override
          public void returned(String datapath) {
            events.add("returned " + datapath);
          }

          @Override
          public void gone(String datapath) {
            events.add("gone " + datapath);
          }

          @Override
          public void masterChanged(String datapath) {
            events.add("master " + datapath);
          }
        });
    registration = switches.start();
  }

  @AfterEach
  void stop() {
    registration.close();
  }

  private void write(Consumer<WriteTransaction> change) throws Exception {
    WriteTransaction transaction = mdsal.broker().newWriteOnlyTransaction();
    change.accept(transaction);
    transaction.commit().get(10, TimeUnit.SECONDS);
  }

  private static void node(WriteTransaction transaction, NodeBuilder node) {
    transaction.merge(
        LogicalDatastoreType.OPERATIONAL,
        Datapaths.node(S1),
        node.setId(new NodeId("openflow:1")).build());
  }

  private static void port(
      WriteTransaction transaction, String number, String name, boolean linkDown) {
    NodeConnector connector =
        new NodeConnectorBuilder()
            .setId(new NodeConnectorId("openflow:1:" + number))
            .addAugmentation(
                new FlowCapableNodeConnectorBuilder()
                    .setName(name)
                    .setCurrentSpeed(Uint32.valueOf(10_000_000))
                    .setState(new StateBuilder().setLinkDown(linkDown).build())
                    .build())
            .build();
    node(transaction, new NodeBuilder().setNodeConnector(Map.of(connector.key(), connector)));
  }

  @Test
  void aSwitchComesWithItsPortsAndLeaves() throws Exception {
    write(
        transaction -> {
          node(
              transaction,
              new NodeBuilder()
                  .addAugmentation(new FlowCapableNodeBuilder().setDescription("leaf1").build()));
          port(transaction, "1", "eth1", false);
          port(transaction, "2", "eth2", true);
          port(transaction, "LOCAL", "br0", false);
        });

    assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("returned " + S1);
    assertThat(switches.connected()).containsExactly(S1);
    assertThat(switches.name(S1)).isEqualTo("leaf1");
    assertThat(switches.ports(S1))
        .containsExactly(SwitchPort.of(PortId.of(S1, 1), 10_000_000_000L).named("leaf1:eth1"));
    assertThat(switches.hasPort(PortId.of(S1, 2))).isTrue();
    assertThat(switches.hasPort(PortId.of(S1, 3))).isFalse();

    write(transaction -> transaction.delete(LogicalDatastoreType.OPERATIONAL, Datapaths.node(S1)));

    assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("gone " + S1);
    assertThat(switches.connected()).isEmpty();
    assertThat(switches.known()).containsExactly(S1);
    assertThat(switches.name(S1)).isEqualTo("leaf1");
    assertThat(switches.ports(S1)).isEmpty();
  }

  @Test
  void aSwitchThatIsThereAtTheStartIsFound() throws Exception {
    registration.close();
    write(transaction -> port(transaction, "1", "eth1", false));
    registration = switches.start();

    assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("returned " + S1);
    assertThat(switches.name(S1)).isEqualTo(S1);
    assertThat(switches.ports(S1))
        .extracting(port -> port.name().orElse(""))
        .containsExactly("eth1");
  }
}
