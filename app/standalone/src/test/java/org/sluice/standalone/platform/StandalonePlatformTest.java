// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.Controller;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.setting.Settings;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.KeyFiles;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;
import org.sluice.core.virtual.ProcessStorage;
import org.sluice.standalone.config.FabricLayout;
import org.sluice.standalone.store.SoleNode;

/** The core on the platform of sluiced: agents alone report the network. */
class StandalonePlatformTest {
  private static final String FABRIC = "of:0000000000000001";
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP2 = IpAddress.parse("10.0.0.2");
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final PortId UPLINK_OF_H2 = PortId.parse("host:h2/up0");
  private static final long PERIOD_NANOS = 5_000_000;

  private final VirtualTime time = new VirtualTime();
  private final ProcessStorage storage = new ProcessStorage();
  private final Map<String, String> texts = new HashMap<>();
  private FakeLink link;
  private Fabric fabric;
  private Controller controller;

  private void start(Optional<FabricLayout> layout) {
    link = new FakeLink();
    SoleNode sole = new SoleNode("n1");
    Cluster cluster = new Cluster(sole, storage, sole, () -> {});
    fabric = new Fabric(cluster, layout, time);
    StandalonePlatform platform =
        new StandalonePlatform(
            cluster, fabric, true, new StandaloneDiagnosis(fabric, Path.of("sluiced.yaml")));
    for (String file : List.of("agentLinkKey", "agentLinkCertificate", "agentLinkTrust")) {
      texts.put(file, KeyFiles.any());
    }
    texts.put("forwarding", "other");
    Settings settings =
        new Settings(
            refusal -> {
              throw new AssertionError(refusal);
            });
    settings.read(texts::get);
    controller =
        new Controller(
            platform,
            settings,
            new NodeJournal(time),
            time,
            time::wallMillis,
            parameters -> link,
            (port, listener) -> {
              throw new AssertionError("no switch is awaited");
            },
            (parameters, sink) -> {
              throw new AssertionError("nobody samples");
            });
    fabric.start(controller.link(), controller.reportedEndpoints());
    controller.start();
    time.advanceMillis(10);
  }

  @AfterEach
  void stop() {
    controller.stop();
    fabric.stop();
  }

  private void connectTwo() {
    connect("h1", "02:00:00:00:01:01", "10.0.0.1");
    connect("h2", "02:00:00:00:01:02", "10.0.0.2");
  }

  private void connect(String host, String mac, String ip) {
    link.connect(hello(host, endpoint(host + "/vm0", mac, ip)));
    time.advanceMillis(10);
  }

  private PortId place(String endpoint) {
    EndpointId id = Samples.endpointId(endpoint);
    return controller.endpoints().endpoints().stream()
        .filter(each -> each.id().equals(id))
        .findFirst()
        .flatMap(each -> each.attachment())
        .orElse(null);
  }

  /** Control periods in which half of what arrives at h2 exceeds its NIC. */
  private void send(int periods) {
    for (int i = 0; i < periods; i++) {
      report(H1, PairSample.of(IP1, IP2, 10, 15_000, 0, 0, 0, true));
      report(H2, PairSample.of(IP1, IP2, 0, 0, 10, 15_000, 0));
      link.report(
          UplinkMessage.ofPortQueues(
              PortQueueObservation.of(
                  H2,
                  time.nanoTime(),
                  PERIOD_NANOS,
                  List.of(PortQueueSample.of(UPLINK_OF_H2, 10, 15_000, 0, 5, 0, 9, 13_500)))));
      time.advanceMillis(5);
    }
  }

  private void report(HostId host, PairSample pair) {
    link.report(
        UplinkMessage.ofObservation(
            HostObservation.of(host, time.nanoTime(), PERIOD_NANOS, List.of(pair), List.of())));
  }

  /** But for agents' versions, which tests do not have. */
  private List<Finding> findings() {
    return controller.doctor().examine().stream()
        .filter(finding -> !finding.what().contains("has version"))
        .toList();
  }

  @Test
  void hostsArePortsOfOneBigSwitch() {
    start(Optional.empty());
    connectTwo();

    assertThat(place("h1/vm0")).isEqualTo(PortId.of(FABRIC, 1));
    assertThat(place("h2/vm0")).isEqualTo(PortId.of(FABRIC, 2));
    time.advanceMillis(1100);
    PortStatus port = controller.ports().port(PortId.of(FABRIC, 2)).orElseThrow();
    assertThat(port.capacityBitsPerSecond()).isEqualTo(Samples.NIC_BITS_PER_SECOND);
    assertThat(port.capacitySource()).isEqualTo(CapacitySource.CONFIGURED);
  }

  @Test
  void receiversOfEveryHostShareWithoutAnySwitch() {
    start(Optional.empty());
    connectTwo();
    assertThat(link.sentTo(H2, DownlinkMessage.Kind.SETTINGS, DownlinkMessage::settings))
        .last()
        .extracting(HostSettings::receiversMark)
        .isEqualTo(true);
    send(4);

    List<UnitShare> shares =
        link.listedTo(H1, DownlinkMessage.Kind.UNIT_SHARES, DownlinkMessage::unitShares);
    assertThat(shares).extracting(UnitShare::port).contains(UPLINK_OF_H2);
    assertThat(shares.get(0).endpoints().get(0).destinations()).containsExactly(IP2);
  }

  @Test
  void numbersOutliveARestartInWhateverOrderHostsComeBack() {
    start(Optional.empty());
    connectTwo();
    controller.stop();
    fabric.stop();
    start(Optional.empty());

    connect("h2", "02:00:00:00:01:02", "10.0.0.2");
    connect("h3", "02:00:00:00:01:03", "10.0.0.3");
    assertThat(place("h2/vm0")).isEqualTo(PortId.of(FABRIC, 2));
    assertThat(place("h3/vm0")).isEqualTo(PortId.of(FABRIC, 3));
  }

  @Test
  void endpointThatMovesIsBehindItsNewHost() {
    start(Optional.empty());
    connectTwo();
    link.connect(hello("h1"));
    link.connect(
        hello(
            "h2",
            endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2"),
            endpoint("h2/vm1", "02:00:00:00:01:01", "10.0.0.1")));
    time.advanceMillis(10);

    assertThat(fabric.locate(IP1)).contains(PortId.of(FABRIC, 2));
  }

  @Test
  void topologyFileMakesInnerLinksPorts() {
    String leaf1 = "of:0000000000000001";
    String leaf2 = "of:0000000000000002";
    PortId up = PortId.of(leaf1, 5);
    PortId down = PortId.of(leaf2, 5);
    FabricLayout layout =
        new FabricLayout(
            Map.of(leaf1, "leaf1", leaf2, "leaf2"),
            Map.of(up, down, down, up),
            Map.of(up, 30_000_000L, down, 30_000_000L),
            Map.of(H1, PortId.of(leaf1, 1), H2, PortId.of(leaf2, 1)));
    start(Optional.of(layout));
    connectTwo();
    connect("h3", "02:00:00:00:01:03", "10.0.0.3");

    assertThat(fabric.equalCostPaths(leaf1, leaf2))
        .extracting(share -> share.egress())
        .containsExactly(up);
    assertThat(place("h2/vm0")).isEqualTo(PortId.of(leaf2, 1));
    time.advanceMillis(1100);
    assertThat(controller.ports().port(up).orElseThrow().capacityBitsPerSecond())
        .isEqualTo(30_000_000);
    assertThat(place("h3/vm0")).as("it stands nowhere").isNull();
    assertThat(findings()).extracting(Finding::about).containsExactly("host h3", "fabric");

    fabric.rewire(
        Optional.of(
            new FabricLayout(
                layout.switches(),
                layout.links(),
                Map.of(up, 10_000_000L, down, 10_000_000L),
                layout.hosts())));
    time.advanceMillis(1100);
    assertThat(controller.ports().port(up).orElseThrow().capacityBitsPerSecond())
        .isEqualTo(10_000_000);
  }

  /** What is not in force is a note, and nothing else names switches. */
  @Test
  void doctorNamesWhatNoSwitchDoes() {
    start(Optional.empty());
    connectTwo();
    send(4);
    time.advanceMillis(60_000);

    assertThat(findings()).extracting(Finding::about).containsExactly("fabric");
    link.disconnect(H2);
    time.advanceMillis(60_000);
    assertThat(findings())
        .filteredOn(finding -> finding.about().equals("host h2"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.what()).contains("not been connected"));
  }
}
