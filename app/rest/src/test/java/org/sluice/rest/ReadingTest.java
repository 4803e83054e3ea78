// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;
import org.sluice.api.TenantId;
import org.sluice.api.counters.CounterService;
import org.sluice.api.topology.NetworkTopology;

class ReadingTest extends RestTestBase {
  private static final String ENDPOINT =
      "{\"id\":\"h1/vm0\",\"host\":\"h1\",\"interface\":\"vm0\",\"mac\":\"02:00:00:00:01:01\","
          + "\"ips\":[\"10.0.0.1\",\"10.0.0.9\"],\"refusedIps\":[\"10.0.0.7\"],"
          + "\"metadata\":{\"bridge\":\"br0\",\"vlan\":100,\"domain\":\"web1\",\"network\":\"blue\","
          + "\"namespace\":\"shop\",\"pod\":\"web-0\",\"labels\":{\"app\":\"web\"}},\"tenant\":\"default\","
          + "\"attachment\":\"of:0000000000000001/5\",\"limitBitsPerSecond\":50000000,"
          + "\"limits\":[{\"port\":\"of:0000000000000001/5\",\"rateBitsPerSecond\":12500000,\"ceShare\":0.3333},"
          + "{\"port\":\"of:0000000000000002/1\",\"rateBitsPerSecond\":20000000,\"ceShare\":0}],"
          + "\"deliveredBitsPerSecond\":12100000,\"backlogBytes\":3000,\"droppedPackets\":5,\"heldBack\":true}";
  private static final String PORT =
      "{\"id\":\"of:0000000000000001/5\",\"name\":\"leaf1:eth5\",\"capacityBitsPerSecond\":50000000,\"capacitySource\":\"configured\","
          + "\"congested\":true,\"estimated\":false,\"marksFrom\":\"hosts\","
          + "\"ceShare\":0.3333,\"loadBitsPerSecond\":49123456,\"unitShareBitsPerSecond\":12500000,"
          + "\"activeEndpoints\":4,\"activeWeight\":4,\"floorScale\":0.75,\"scaledTenants\":[\"red\"],\"countersFrom\":\"fast\"}";
  private static final String HOST =
      "{\"id\":\"h1\",\"connected\":true,\"stopped\":false,\"agentVersion\":\"1.2.3\",\"uplink\":\"up0\","
          + "\"uplinkCapacityBitsPerSecond\":50000000,\"endpointCount\":1,\"lastSeen\":\"1970-01-01T00:00:07.000Z\",\"switchPorts\":[],\"missingFeatures\":[\"tcx:"
          + " slower attach\"],\"residualDroppedPackets\":7,\"residualExceededBy\":[\"vm0\"]}";

  @Test
  void whatNoAgentReportsIsNull() {
    services.others.add(
        Endpoint.of(
            EndpointId.of(HostId.of("h9"), "vm0"),
            MacAddress.parse("02:00:00:00:09:01"),
            Set.of(),
            TenantId.DEFAULT,
            Optional.empty(),
            0,
            List.of(),
            EndpointTraffic.UNKNOWN));
    assertThat(get("endpoints/h9/vm0").readEntity(String.class))
        .contains("\"deliveredBitsPerSecond\":null,\"backlogBytes\":null,\"droppedPackets\":null,");
  }

  @Test
  void historyHasWhatTenantsGotAndWhatTheirWeightsCameTo() {
    assertThat(get("history").readEntity(String.class))
        .isEqualTo(
            "{\"moments\":[{\"time\":\"1970-01-01T00:00:09.000Z\",\"tenants\":["
                + "{\"tenant\":\"default\",\"deliveredBitsPerSecond\":5000000,\"dueByWeightBitsPerSecond\":null},"
                + "{\"tenant\":\"red\",\"deliveredBitsPerSecond\":30000000,\"dueByWeightBitsPerSecond\":null}],"
                + "\"ports\":[{\"port\":\"of:0000000000000001/5\",\"capacityBitsPerSecond\":50000000,"
                + "\"loadBitsPerSecond\":49123456,\"tenants\":["
                + "{\"tenant\":\"default\",\"deliveredBitsPerSecond\":5,\"dueByWeightBitsPerSecond\":null},"
                + "{\"tenant\":\"red\",\"deliveredBitsPerSecond\":30000000,\"dueByWeightBitsPerSecond\":25000000}]}]}]}");
    problem(get("history?seconds=3601"), 400, "seconds", "3601");
  }

  @Test
  void showsEndpoints() {
    assertThat(text("endpoints")).isEqualTo("{\"endpoints\":[" + ENDPOINT + "]}");
    assertThat(text("endpoints/h1/vm0")).isEqualTo(ENDPOINT);
  }

  @Test
  void explainsAnEndpointsRate() {
    assertThat(text("endpoints/h1/vm0/why"))
        .isEqualTo(
            "{\"endpoint\":\"h1/vm0\",\"tenant\":\"default\",\"weight\":1,\"cause\":\"port\",\"summary\":\"It"
                + " is held.\",\"lines\":[\"By this.\"],"
                + "\"deliveredBitsPerSecond\":12000000,\"limitBitsPerSecond\":12500000,\"ports\":["
                + "{\"port\":\"of:0000000000000001/5\",\"portName\":\"leaf1:eth5\","
                + "\"capacityBitsPerSecond\":50000000,\"loadBitsPerSecond\":49123456,"
                + "\"ceShare\":0.3333,\"marksFrom\":\"hosts\",\"estimated\":false,"
                + "\"unitShareBitsPerSecond\":12500000,\"binding\":true,\"limitBitsPerSecond\":12500000,"
                + "\"deliveredBitsPerSecond\":12000000,\"dueBitsPerSecond\":12500000,\"dueByWeightBitsPerSecond\":4500000,\"dueOfTwiceTheWeightBitsPerSecond\":20000000,"
                + "\"users\":[{\"endpoint\":\"h2/vm0\",\"tenant\":\"red\",\"weight\":1.5,"
                + "\"deliveredBitsPerSecond\":20000000}],\"furtherUsers\":2,\"furtherBitsPerSecond\":17000000}],\"journal\":["
                + "{\"sequence\":4,\"time\":\"1970-01-01T00:00:04.000Z\",\"kind\":\"unit-share\","
                + "\"law\":\"sluice\",\"port\":\"of:0000000000000001/5\",\"portName\":\"leaf1:eth5\",\"endpoint\":null,\"tenant\":null,\"decision\":\"decision"
                + " 4\",\"evidence\":\"evidence 4\"}]}");
    assertThat(get("endpoints/h9/vm0/why").getStatus()).isEqualTo(404);
  }

  @Test
  void showsTheTopology() {
    assertThat(text("topology"))
        .isEqualTo(
            "{\"switches\":["
                + "{\"datapath\":\"of:0000000000000001\",\"name\":\"leaf1\","
                + "\"available\":true,\"layer\":0},"
                + "{\"datapath\":\"of:0000000000000002\",\"name\":\"spine1\","
                + "\"available\":false,\"layer\":1},"
                + "{\"datapath\":\"of:0000000000000003\",\"name\":\"lost\","
                + "\"available\":false,\"layer\":null}],"
                + "\"links\":[{\"source\":{\"datapath\":\"of:0000000000000001\",\"number\":5},"
                + "\"target\":{\"datapath\":\"of:0000000000000002\",\"number\":1}}],"
                + "\"attachments\":["
                + "{\"host\":\"h1\",\"port\":{\"datapath\":\"of:0000000000000001\",\"number\":1}},"
                + "{\"host\":null,\"port\":{\"datapath\":\"of:0000000000000001\",\"number\":2}}]}");
  }

  @Test
  void unchangedTopologyIsNotSentAgain() {
    String tag = get("topology").getHeaderString("ETag");
    Response known = at("topology").header("If-None-Match", "\"other\", " + tag).get();

    assertThat(known.getStatus()).isEqualTo(304);
    assertThat(known.getHeaderString("ETag")).isEqualTo(tag);
    assertThat(known.hasEntity()).isFalse();

    services.topology = NetworkTopology.of(List.of(), List.of(), List.of());
    Response changed = at("topology").header("If-None-Match", tag).get();
    assertThat(changed.getStatus()).isEqualTo(200);
    assertThat(changed.getHeaderString("ETag")).isNotEqualTo(tag);
  }

  @Test
  void showsPorts() {
    assertThat(text("ports")).isEqualTo("{\"ports\":[" + PORT + "]}");
    assertThat(text("ports/of:0000000000000001/5")).isEqualTo(PORT);
  }

  @Test
  void portWithoutCountersIsMarked() {
    services.withdraw(CounterService.class);
    assertThat(json(get("ports/of:0000000000000001/5")).path("countersFrom").asText())
        .isEqualTo("none");
  }

  @Test
  void showsHosts() {
    assertThat(text("hosts")).isEqualTo("{\"hosts\":[" + HOST + "]}");
    assertThat(text("hosts/h1")).isEqualTo(HOST);
  }

  @Test
  void showsFindingsOfTheDoctor() {
    assertThat(text("doctor"))
        .isEqualTo(
            "{\"findings\":[{\"severity\":\"warning\",\"about\":\"of:0000000000000001\","
                + "\"what\":\"It is slow\",\"remedy\":\"sluice-switch-setup br0\"}]}");
  }

  @Test
  void showsTheCluster() {
    assertThat(text("cluster"))
        .isEqualTo(
            "{\"leader\":\"c1\",\"storeFault\":null,\"nodes\":[{\"name\":\"c1\",\"local\":true,"
                + "\"state\":\"running\",\"silentSeconds\":0,\"version\":\"1.0.0\","
                + "\"switches\":[\"of:0000000000000001\"],\"clockOffMillis\":0,\"webFault\":null},"
                + "{\"name\":\"c2\",\"local\":false,\"state\":\"silent\",\"silentSeconds\":40,"
                + "\"version\":null,\"switches\":[],\"clockOffMillis\":0,\"webFault\":null}]}");
  }

  @Test
  void everyViewOfANodeThatIsCutOffSaysSo() {
    assertThat(get("tenants").getHeaderString("Sluice-Cut-Off")).isNull();
    services.storeFault = "no majority\nin 5 s";
    for (String view : List.of("tenants", "policies", "ports", "cluster", "nothing")) {
      assertThat(get(view).getHeaderString("Sluice-Cut-Off")).isEqualTo("no majority in 5 s");
    }
  }

  @Test
  void filtersTheJournalByQuery() {
    JsonNode all = json(get("journal")).path("entries");
    assertThat(all).hasSize(5);
    assertThat(all.get(0).toString())
        .isEqualTo(
            "{\"sequence\":4,\"time\":\"1970-01-01T00:00:04.000Z\",\"kind\":\"unit-share\","
                + "\"law\":\"sluice\",\"port\":\"of:0000000000000001/5\",\"portName\":\"leaf1:eth5\",\"endpoint\":null,\"tenant\":null,\"decision\":\"decision"
                + " 4\",\"evidence\":\"evidence 4\"}");
    assertThat(json(get("journal?after=2")).path("entries")).hasSize(2);
    assertThat(json(get("journal?limit=3")).path("entries")).hasSize(3);
    assertThat(json(get("journal?port=of:0000000000000001/5")).path("entries")).hasSize(3);
    assertThat(json(get("journal?before=2")).path("entries")).hasSize(2);
    assertThat(json(get("journal?kind=notice,unit-share&law=sluice")).path("entries")).hasSize(5);
    assertThat(json(get("journal?kind=notice")).path("entries")).isEmpty();
    assertThat(json(get("journal?tenant=red")).path("entries")).hasSize(1);
    assertThat(json(get("journal?endpoint=h1/vm0")).path("entries")).isEmpty();
    assertThat(
            json(get("journal?since=1970-01-01T00:00:01.000Z&until=1970-01-01T00:00:03.000Z"))
                .path("entries"))
        .hasSize(2);
  }

  @Test
  void timeWithAnOffsetIsRejectedOnEveryJdk() {
    String time = "2026-03-01T12:00:00-01:00";
    problem(get("journal?until=" + time), 400, "until", time);
  }

  @Test
  void responsesMayNotBeCached() {
    Response response = get("tenants");
    assertThat(response.getMediaType().toString()).isEqualTo("application/json");
    assertThat(response.getHeaderString("Cache-Control")).isEqualTo("no-store");
    assertThat(response.getHeaderString("X-Content-Type-Options")).isEqualTo("nosniff");
  }

  private String text(String path) {
    return get(path).readEntity(String.class);
  }
}
