// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** The true collector in a whole controller, on the loopback device. */
class SflowSampleCollectorTest {
  private static final String SWITCH = "127.0.0.2";
  private static final String STRANGER = "127.0.0.3";
  private static final int RATE = 1000;
  private static final int PACKET_BYTES = 1000;
  private static final FlowKey FLOW =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 7, IpAddress.parse("10.0.0.2"), 80);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2).connect("s2", 1, 2).link("s1/2", "s2/2");
  private final MemoryNode node = new MemoryNode(network, "n1");
  private int port;
  private int sequence;

  @AfterEach
  void stop() {
    if (node.controller() != null) {
      node.stop();
    }
  }

  /** One that is free now. */
  private static int freePort() throws SocketException {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      return socket.getLocalPort();
    }
  }

  private void start() throws SocketException {
    port = freePort();
    node.sampleFactory = SflowSampleCollector::start;
    node.set("sflowPort", port, "sflowAddress", "127.0.0.1", "sflowAgents", SWITCH).start();
    network.time.advanceMillis(10);
  }

  /** A datagram with one sample of the flow: sFlow's sampled IPv4 record. */
  private byte[] datagram() throws Exception {
    sequence++;
    ByteBuffer bytes = ByteBuffer.allocate(108);
    bytes.putInt(5).putInt(1).put(InetAddress.getByName(SWITCH).getAddress()).putInt(0);
    bytes.putInt(sequence).putInt(1).putInt(1);
    bytes.putInt(1).putInt(32 + 8 + 32); // a flow sample
    bytes.putInt(sequence).putInt(3).putInt(RATE).putInt(sequence * RATE).putInt(0);
    bytes.putInt(3).putInt(4).putInt(1);
    bytes.putInt(3).putInt(32); // IPv4
    bytes.putInt(PACKET_BYTES).putInt(17);
    bytes.put(FLOW.source().toBytes()).put(FLOW.destination().toBytes());
    bytes.putInt(FLOW.sourcePort()).putInt(FLOW.destinationPort()).putInt(0).putInt(0);
    assertThat(bytes.hasRemaining()).isFalse();
    return bytes.array();
  }

  private void send(String from, byte[] datagram) throws Exception {
    try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(from, 0))) {
      InetSocketAddress to = new InetSocketAddress("127.0.0.1", port);
      socket.send(new DatagramPacket(datagram, datagram.length, to));
    }
  }

  private void await(BooleanSupplier condition) throws InterruptedException {
    Instant deadline = Instant.now().plus(LONGEST_WAIT);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).as("deadline").isBefore(deadline);
      TimeUnit.MILLISECONDS.sleep(5);
      network.time.advanceMillis(50);
    }
  }

  @Test
  void samplesOfAListedSwitchAreShown() throws Exception {
    start();
    send(SWITCH, datagram());
    send(SWITCH, datagram());
    await(() -> !node.controller().queues().backgroundFlows().isEmpty());

    BackgroundFlow flow = node.controller().queues().backgroundFlows().get(0);
    assertThat(flow.flow()).isEqualTo(FLOW);
    assertThat(flow.sentBytes()).isEqualTo(2L * RATE * PACKET_BYTES);
    assertThat(flow.source()).isEqualTo(BackgroundFlow.Source.SFLOW);
  }

  @Test
  void unlistedSenderIsAFinding() throws Exception {
    start();
    send(STRANGER, datagram());
    send(SWITCH, new byte[100]);
    await(
        () ->
            node.controller().doctor().examine().stream()
                    .filter(finding -> finding.about().equals("sflow"))
                    .filter(
                        finding ->
                            finding.what().contains(STRANGER) || finding.what().contains(SWITCH))
                    .count()
                == 2);
    assertThat(node.controller().queues().backgroundFlows()).isEmpty();
  }

  @Test
  void stoppedControllerReleasesThePort() throws Exception {
    start();
    node.settings.withdraw();
    try (DatagramSocket again =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
      assertThat(again.isBound()).isTrue();
    }
  }

  @Test
  void addressOfAnotherMachineIsRejected() {
    Parameters parameters =
        Parameters.defaults()
            .with(SettingTable.SFLOW_PORT, 6343)
            .with(SettingTable.SFLOW_ADDRESS, "192.0.2.1");
    assertThatThrownBy(() -> SflowSampleCollector.start(parameters, flows -> {}))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("cannot listen on 192.0.2.1");
  }
}
