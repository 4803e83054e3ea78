// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.feedback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.MarkReport;
import org.sluice.api.link.PairMarks;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Marks that one host reports and others receive, on a node that leads nothing. */
class MarkRelayTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final HostHello HELLO1 =
      hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1", "fd00::1"));
  private static final HostHello HELLO2 =
      hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2"));
  private static final HostHello RECEIVER =
      hello("h5", endpoint("h5/vm0", "02:00:00:00:01:05", "10.0.0.5", "fd00::5"));

  private final MemoryNetwork network = new MemoryNetwork();
  private MemoryNode node;

  @BeforeEach
  void start() {
    node = new MemoryNode(network, "n1").start();
    node.link.connect(HELLO1);
    node.link.connect(HELLO2);
    node.link.connect(RECEIVER);
    network.time.advanceMillis(10);
    node.link.sent.clear();
  }

  private static PairMarks marks(String source, String destination, long marks) {
    return PairMarks.of(
        IpAddress.parse(source), IpAddress.parse(destination), 7, 1, 10 * marks, marks, 1500);
  }

  private void report(PairMarks... pairs) {
    node.link.report(UplinkMessage.ofMarkReport(MarkReport.of(RECEIVER.host(), List.of(pairs))));
  }

  private List<PairMarks> returnedTo(HostId host) {
    return node.link.listedTo(host, Kind.RETURNED_MARKS, DownlinkMessage::returnedMarks);
  }

  private List<PairMarks> undelivered() {
    return node.link.listedTo(
        RECEIVER.host(), Kind.UNDELIVERED_MARKS, DownlinkMessage::undeliveredMarks);
  }

  @Test
  void hostsReceiveMarksOfTheirOwnEndpoints() {
    report(
        marks("10.0.0.1", "10.0.0.5", 3),
        marks("10.0.0.2", "10.0.0.5", 4),
        marks("fd00::1", "fd00::5", 5));

    assertThat(returnedTo(H1))
        .containsExactly(marks("10.0.0.1", "10.0.0.5", 3), marks("fd00::1", "fd00::5", 5));
    assertThat(returnedTo(H2)).containsExactly(marks("10.0.0.2", "10.0.0.5", 4));
    assertThat(undelivered()).isEmpty();
  }

  @Test
  void marksForDisconnectedHostsAreReturned() {
    node.link.disconnect(H2);
    report(
        marks("10.0.0.1", "10.0.0.5", 3),
        marks("10.0.0.2", "10.0.0.5", 4),
        marks("10.0.0.9", "10.0.0.5", 5));

    assertThat(returnedTo(H1)).containsExactly(marks("10.0.0.1", "10.0.0.5", 3));
    assertThat(returnedTo(H2)).isEmpty();
    assertThat(undelivered())
        .containsExactly(marks("10.0.0.2", "10.0.0.5", 4), marks("10.0.0.9", "10.0.0.5", 5));

    node.link.connect(HELLO2);
    report(marks("10.0.0.2", "10.0.0.5", 6));
    assertThat(returnedTo(H2)).containsExactly(marks("10.0.0.2", "10.0.0.5", 6));
  }
}
