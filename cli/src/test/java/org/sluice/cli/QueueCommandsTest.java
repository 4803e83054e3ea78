// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.SettingService;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.BackgroundQueueStatus;
import org.sluice.api.queue.LevelQueue;
import org.sluice.api.queue.PortQueues;
import org.sluice.api.queue.QueueService;

/** The commands about queues, background flows and caps, typed in Karaf's shell. */
class QueueCommandsTest {
  private static final PortId UP = PortId.parse("of:0000000000000001/5");
  private static final PortId DOWN = PortId.parse("of:0000000000000002/1");

  private final Queues queues = new Queues();
  private final List<Host> hosts = new ArrayList<>();
  private final Shell shell =
      new Shell(
          new Services(), QueuesCommand.class, BackgroundFlowsCommand.class, CapsCommand.class);
  private String caps = "sluice";
  private String sflowPort = "0";

  @BeforeEach
  void fill() {
    queues.ports.add(
        queues(UP)
            .source(PortQueues.Source.PORT_AGENT)
            .bufferPackets(36)
            .thresholdPackets(9)
            .capacityPackets(12)
            .levels(List.of(LevelQueue.of(0, 10, 1_500_000, 2), LevelQueue.of(1, 4, 30_000_000, 0)))
            .background(List.of(BackgroundQueueStatus.of(DOWN, 4, 30_000_000, 25_000_000)))
            .build());
    queues.ports.add(
        queues(DOWN)
            .source(PortQueues.Source.ESTIMATED)
            .errorPackets(5)
            .bufferPackets(0)
            .thresholdPackets(0)
            .capacityPackets(0)
            .build());
    queues.flows.add(
        flow(5001)
            .source(BackgroundFlow.Source.AGENT)
            .endpoint(Optional.of(EndpointId.of(HostId.of("h2"), "vm0")))
            .tenant(Optional.of(TenantId.of("red")))
            .ports(List.of(UP, DOWN))
            .build());
    queues.flows.add(flow(5002).source(BackgroundFlow.Source.SFLOW).build());
    queues.caps.add(
        ActiveCap.builder(UP, DOWN)
            .bitsPerSecond(25_000_000)
            .enforcer(ActiveCap.Enforcer.PORT_AGENT)
            .queuePackets(10)
            .thresholdPackets(9)
            .alpha(1 / 3.0)
            .beta(1)
            .floorBitsPerSecond(0)
            .flows(2)
            .endsInMillis(80)
            .build());
  }

  @AfterEach
  void close() {
    shell.close();
  }

  private static PortQueues.Builder queues(PortId port) {
    return PortQueues.builder(port)
        .capacityBitsPerSecond(50_000_000)
        .backlogPackets(14)
        .ageMillis(3);
  }

  private static BackgroundFlow.Builder flow(int port) {
    return BackgroundFlow.builder(
            FlowKey.of(IpAddress.parse("10.0.0.2"), 40_000, IpAddress.parse("10.0.0.5"), port))
        .endpoint(Optional.empty())
        .tenant(Optional.empty())
        .sentBytes(1_000_000)
        .sentBitsPerSecond(20_000_000)
        .ageMillis(400);
  }

  private void clear() {
    queues.ports.clear();
    queues.flows.clear();
    queues.caps.clear();
  }

  private String[] lines(String typed) throws Exception {
    return shell.type(typed).split("\\R");
  }

  private JsonNode json(String typed) throws Exception {
    return new ObjectMapper().readTree(shell.type(typed));
  }

  @Test
  void listsQueues() throws Exception {
    assertThat(lines("sluice-queues"))
        .containsExactly(
            "PORT                          QUEUE                     BACKLOG packets"
                + "  ERROR packets"
                + "  TH packets  SENT Mbit/s  CAP Mbit/s  DROPPED packets  LENGTHS FROM  AGE ms",
            "s1:5 (of:0000000000000001/5)  level 0                                10"
                + "              0"
                + "           9          1.5           -                2  port-agent         3",
            "s1:5 (of:0000000000000001/5)  level 1                                 4"
                + "              0"
                + "           9           30           -                0  port-agent         3",
            "s1:5 (of:0000000000000001/5)  to of:0000000000000002/1                4"
                + "              0"
                + "           9           30          25                -  port-agent         3",
            "of:0000000000000002/1         all                                    14"
                + "              5"
                + "           -            -           -                -  estimated          3",
            "Flows change to the next level at 4096, 16384 bytes.");
    assertThat(lines("sluice-queues of:0000000000000002/1")).hasSize(3);
  }

  @Test
  void jsonOfQueuesMatchesRest() throws Exception {
    JsonNode json = json("sluice-queues -j of:0000000000000001/5");
    assertThat(json.path("queues")).hasSize(1);
    assertThat(json.path("queues").get(0).toString())
        .isEqualTo(
            "{\"port\":\"of:0000000000000001/5\",\"lengthsFrom\":\"port-agent\",\"capacityBitsPerSecond\":50000000,"
                + "\"backlogPackets\":14,\"errorPackets\":0,\"bufferPackets\":36,"
                + "\"thresholdPackets\":9,\"queueCapacityPackets\":12,\"ageMillis\":3,"
                + "\"levels\":[{\"level\":0,\"backlogPackets\":10,\"sentBitsPerSecond\":1500000,\"droppedPackets\":2},"
                + "{\"level\":1,\"backlogPackets\":4,\"sentBitsPerSecond\":30000000,\"droppedPackets\":0}],"
                + "\"background\":[{\"downstream\":\"of:0000000000000002/1\",\"backlogPackets\":4,"
                + "\"sentBitsPerSecond\":30000000,\"capBitsPerSecond\":25000000}]}");
    assertThat(json.path("levelThresholdsBytes")).hasSize(2);
    assertThat(json("sluice-queues --json").path("queues").get(1).path("thresholdPackets").isNull())
        .isTrue();
  }

  @Test
  void invalidOrUnknownPortIsRejected() {
    assertThat(catchThrowable(() -> shell.type("sluice-queues s1")))
        .hasMessageContaining("port")
        .hasMessageContaining("s1");
    assertThat(catchThrowable(() -> shell.type("sluice-queues of:0000000000000009/1")))
        .hasMessageContaining("Queues of such a port are not reported");
  }

  @Test
  void listsBackgroundFlowsVisibleToTheUser() throws Exception {
    assertThat(lines("sluice-background-flows"))
        .containsExactly(
            "SOURCE          DESTINATION    ENDPOINT  TENANT  SIZE FROM  SENT bytes  SENT Mbit/s"
                + "  AGE ms  PORTS",
            "10.0.0.2:40000  10.0.0.5:5001  h2/vm0    red     agent         1000000           20"
                + "     400  s1:5 (of:0000000000000001/5), of:0000000000000002/1",
            "10.0.0.2:40000  10.0.0.5:5002  -         -       sflow         1000000           20"
                + "     400  -");
    assertThat(lines("sluice-background-flows -n 1")).hasSize(2);
    shell.login("sluice-tenant", "sluice-tenant-red");
    assertThat(json("sluice-background-flows -j").path("flows")).hasSize(1);
    shell.login("sluice-tenant", "sluice-tenant-blue");
    assertThat(lines("sluice-background-flows")).containsExactly("There are no background flows.");
    assertThat(json("sluice-background-flows -j").path("flows")).isEmpty();
  }

  @Test
  void listsCaps() throws Exception {
    assertThat(lines("sluice-caps"))
        .containsExactly(
            "UPSTREAM                      DOWNSTREAM             CAP Mbit/s  ENFORCER    QUEUE packets"
                + "  TH packets   ALPHA  BETA  FLOOR Mbit/s  FLOWS  ENDS IN ms",
            "s1:5 (of:0000000000000001/5)  of:0000000000000002/1          25  port-agent             10"
                + "           9  0.3333     1  -                 2          80");
    assertThat(json("sluice-caps -j").path("caps").get(0).toString())
        .isEqualTo(
            "{\"upstream\":\"of:0000000000000001/5\",\"downstream\":\"of:0000000000000002/1\","
                + "\"capBitsPerSecond\":25000000,\"enforcer\":\"port-agent\",\"queuePackets\":10,"
                + "\"thresholdPackets\":9,\"alpha\":0.3333,\"beta\":1,\"floorBitsPerSecond\":null,"
                + "\"flows\":2,\"endsInMillis\":80}");
  }

  @Test
  void emptyListingHasAReason() throws Exception {
    clear();
    assertThat(lines("sluice-caps"))
        .containsExactly(
            "There are no caps.",
            "No queue of short flows is at its threshold now (sluice-queues).");
    assertThat(lines("sluice-queues")[1]).startsWith("No agent that keeps a port's queues");
    assertThat(lines("sluice-background-flows")[1]).startsWith("No agent is connected");
    hosts.add(
        Host.builder(HostId.of("wire"))
            .agentVersion("1.2.3")
            .connected(true)
            .uplink("")
            .uplinkCapacityBitsPerSecond(0)
            .switchPorts(List.of(UP))
            .lastSeen(Instant.EPOCH)
            .endpointCount(0)
            .build());
    assertThat(lines("sluice-queues")[1]).startsWith("None of the ports that agents keep");
    assertThat(lines("sluice-background-flows")[1]).startsWith("No flow has sent that much");
    caps = "off";
    assertThat(lines("sluice-caps")[1]).isEqualTo("caps = off: set caps sluice");
    assertThat(lines("sluice-background-flows")[1])
        .contains("caps = off")
        .contains("sflowPort = 0");
    sflowPort = "6343";
    assertThat(lines("sluice-background-flows")[1]).startsWith("No flow that switches sample");
    assertThat(shell.type("sluice-caps -j").strip()).startsWith("{").endsWith("}");
  }

  @Test
  void haveHelp() throws Exception {
    for (String command : List.of("sluice-queues", "sluice-background-flows", "sluice-caps")) {
      assertThat(shell.type(command + " --help")).contains(command).contains("--json");
    }
  }

  private final class Services implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> type) {
      if (type.equals(QueueService.class)) {
        return type.cast(queues);
      }
      if (type.equals(HostDirectory.class)) {
        return type.cast(new Hosts());
      }
      if (type.equals(SettingService.class)) {
        return type.cast(new SetSettings());
      }
      if (type.equals(PortService.class)) {
        return type.cast(new NamedPorts(UP, "s1:5"));
      }
      throw new ServiceNotFoundException(type.getName());
    }
  }

  private final class SetSettings implements SettingService {
    @Override
    public String value(String setting) {
      return setting.equals("caps") ? caps : sflowPort;
    }

    @Override
    public String command(String setting, String value) {
      return "set " + setting + " " + value;
    }
  }

  private final class Hosts implements HostDirectory {
    @Override
    public List<Host> hosts() {
      return hosts;
    }

    @Override
    public Optional<Host> host(HostId id) {
      return hosts.stream().filter(one -> one.id().equals(id)).findFirst();
    }
  }

  private static final class Queues implements QueueService {
    final List<PortQueues> ports = new ArrayList<>();
    final List<BackgroundFlow> flows = new ArrayList<>();
    final List<ActiveCap> caps = new ArrayList<>();

    @Override
    public List<PortQueues> queues() {
      return ports;
    }

    @Override
    public Optional<PortQueues> queues(PortId port) {
      return ports.stream().filter(one -> one.port().equals(port)).findFirst();
    }

    @Override
    public List<BackgroundFlow> backgroundFlows() {
      return flows;
    }

    @Override
    public List<ActiveCap> caps() {
      return caps;
    }

    @Override
    public List<Long> levelThresholdsBytes() {
      return List.of(4_096L, 16_384L);
    }
  }
}
