// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** What each field of each view shows to a tenant's user: a new one has to be judged here. */
class TenantViewTest extends RestTestBase {
  private static final OpenApiDocument DOCUMENT = OpenApiDocument.served();
  private static final String RED = "sluice-tenant sluice-tenant-red";
  private static final String SCHEMAS = "/components/schemas/";

  /** Of its tenant's own things alone. */
  private static final List<String> OWN =
      List.of(
          "Access: registersDeadlines role tenants",
          "Tenant: ceilingBitsPerSecond ecn guaranteeBitsPerSecond id members receiveCeilingBitsPerSecond weight",
          "Member: bridge domain host interface ipPrefix labels mac namespace network vlan weight",
          "TenantStatus: deliveredBitsPerSecond promisedBitsPerSecond refusedIps refusedIps/endpoint"
              + " refusedIps/ip",
          "Endpoint: backlogBytes deliveredBitsPerSecond droppedPackets heldBack id interface ips limitBitsPerSecond"
              + " limits limits/rateBitsPerSecond mac metadata metadata/domain metadata/labels"
              + " metadata/namespace metadata/pod refusedIps tenant",
          "Explanation: cause deliveredBitsPerSecond endpoint journal limitBitsPerSecond lines ports summary tenant"
              + " weight",
          "PortReason: binding deliveredBitsPerSecond limitBitsPerSecond users users/deliveredBitsPerSecond users/endpoint"
              + " users/tenant users/weight",
          "Flow: deadline destination destinationPort dueInMillis promiseLost promised"
              + " remainingBytes sizeBytes source sourcePort state tenant",
          "BackgroundFlow: ageMillis destination destinationPort endpoint sentBytes sentBitsPerSecond"
              + " sizeFrom source sourcePort tenant",
          "FlowExplanation: cause flow journal lines neededBitsPerSecond ports ports/kind summary"
              + " windowBytes",
          "Deadlines: tenants tenants/closed-early tenants/met tenants/missed tenants/never-sent"
              + " tenants/removed tenants/sending tenants/tenant tenants/waiting",
          "JournalEntry: decision endpoint evidence kind law tenant time",
          "RateMoment: tenants time",
          "TenantRate: deliveredBitsPerSecond dueByWeightBitsPerSecond tenant",
          "TenantsEvent: rows",
          "EndpointsEvent: complete gone rows",
          "FlowsEvent: complete gone rows",
          "JournalEvent: complete rows",
          "TimeEvent: at");

  /** Of the network where its own things are, or what follows from its own share. */
  private static final List<String> OF_ITS_PLACE =
      List.of(
          "Endpoint: attachment host limits/ceShare limits/port metadata/bridge metadata/network"
              + " metadata/vlan",
          "TenantStatus: scaledFloors scaledFloors/port scaledFloors/scale",
          "PortReason: capacityBitsPerSecond ceShare dueByWeightBitsPerSecond dueBitsPerSecond dueOfTwiceTheWeightBitsPerSecond estimated"
              + " marksFrom"
              + " port portName unitShareBitsPerSecond",
          "FlowExplanation: ports/capacityBitsPerSecond ports/port ports/portName",
          "BackgroundFlow: ports",
          "JournalEntry: port portName",
          "TimeEvent: storeFault");

  /** Numbers over all tenants, and the one answer that no scheduler can give without others. */
  private static final List<String> KNOWN_TO_DEPEND_ON_OTHERS =
      List.of("Flow: id", "JournalEntry: sequence", "FlowExplanation: earliestMillis");

  /** Of others too: empty, null or 0 for it. */
  private static final List<String> OF_OTHERS =
      List.of(
          "PortReason: furtherBitsPerSecond furtherUsers loadBitsPerSecond",
          "RateMoment: ports ports/capacityBitsPerSecond ports/loadBitsPerSecond ports/port ports/tenants",
          "FlowExplanation: ports/bytesBefore ports/flowsBefore ports/promisableBitsPerSecond"
              + " ports/totalWindowBytes",
          "Deadlines: congestedPorts congestedPorts/port congestedPorts/totalWindowBytes losses"
              + " losses/duplicates losses/packetOuts losses/reported losses/resends"
              + " seenBySwitches seenBySwitches/beginnings seenBySwitches/ends");

  /** Where these are in what a tenant's user gets. */
  private static final Map<String, List<String>> HIDDEN =
      Map.of(
          "GET /endpoints/{host}/{interface}/why",
          List.of(
              "/ports/0/furtherBitsPerSecond",
              "/ports/0/furtherUsers",
              "/ports/0/loadBitsPerSecond"),
          "GET /history",
          List.of("/moments/0/ports"),
          "GET /flows/{id}/why",
          List.of(
              "/ports/0/bytesBefore",
              "/ports/0/flowsBefore",
              "/ports/0/promisableBitsPerSecond",
              "/ports/0/totalWindowBytes"),
          "GET /deadlines",
          List.of(
              "/congestedPorts",
              "/losses/duplicates",
              "/losses/packetOuts",
              "/losses/reported",
              "/losses/resends",
              "/seenBySwitches/beginnings",
              "/seenBySwitches/ends"));

  @BeforeEach
  void redHasAnEndpointAFlowAndEntries() throws SluiceException {
    addTenant("red", "h2", 2);
    services.flows.add(TenantId.of("red"));
  }

  private void addTenant(String name, String host, int number) throws SluiceException {
    TenantId id = TenantId.of(name);
    services.tenants.put(id, Tenant.builder(id).weight(number).build());
    services.others.add(
        Endpoint.of(
            EndpointId.of(HostId.of(host), "vm0"),
            MacAddress.parse("02:00:00:00:02:0" + number),
            Set.of(IpAddress.parse("10.0.0." + number)),
            id,
            Optional.of(FakeServices.PORT),
            0));
  }

  @Test
  void everyFieldOfEveryViewIsJudged() {
    Set<String> judged = new TreeSet<>();
    for (List<String> part : List.of(OWN, OF_ITS_PLACE, KNOWN_TO_DEPEND_ON_OTHERS, OF_OTHERS)) {
      for (String field : named(part)) {
        assertThat(judged.add(field)).as("%s is judged once", field).isTrue();
      }
    }
    assertThat(fields()).isEqualTo(judged);
  }

  /** Fields as {@code Flow/id}. */
  private static Set<String> named(List<String> lines) {
    return lines.stream()
        .flatMap(
            line ->
                Stream.of(line.split(": ")[1].split(" "))
                    .map(field -> line.split(":")[0] + "/" + field))
        .collect(toCollection(TreeSet::new));
  }

  private Set<String> fields() {
    Set<String> all = new TreeSet<>();
    for (String operation : views().keySet()) {
      String place = OpenApiDocument.pointer(operation) + "/responses/200/content/";
      if (operation.equals("GET /stream")) {
        for (String event : events(RED).keySet()) {
          all.addAll(DOCUMENT.fields(place + "text~1event-stream/x-events/" + event));
        }
      } else {
        all.addAll(DOCUMENT.fields(place + "application~1json/schema"));
      }
    }
    return all.stream()
        .filter(field -> field.startsWith(SCHEMAS)) // the rest names a list alone
        .map(
            field ->
                field
                    .substring(SCHEMAS.length())
                    .replaceAll("/(properties|items|allOf/.)(?=/)", ""))
        .collect(toCollection(TreeSet::new));
  }

  /** What a tenant's user can read, each of its own things: the responses by operation. */
  private Map<String, String> views() {
    Map<String, String> found = new TreeMap<>();
    for (String operation : DOCUMENT.operations()) {
      String path =
          operation
              .substring(operation.indexOf('/') + 1)
              .replace("{host}/{interface}", "h2/vm0")
              .replace("tenants/{id}", "tenants/red")
              .replace("{id}", "1")
              .replace("{datapath}/{number}", FakeServices.PORT.toString());
      if (operation.startsWith("GET ") && !path.equals("openapi.json")) {
        var response = as(RED, path).get();
        assertThat(response.getStatus()).as(operation).isIn(200, 403);
        if (response.getStatus() == 200) {
          found.put(operation, response.readEntity(String.class));
        }
      }
    }
    return found;
  }

  private Map<String, String> events(String roles) {
    Map<String, String> found = new TreeMap<>();
    StreamEvents.events(as(roles, "stream").get().readEntity(String.class))
        .forEach(event -> found.put(event.name, event.data.toString()));
    return found;
  }

  @Test
  void whatIsOfOthersIsHidden() {
    HIDDEN.forEach(
        (operation, places) -> {
          JsonNode seen = tree(views().get(operation));
          for (String place : places) {
            JsonNode value = seen.at(place);
            assertThat(value.isMissingNode()).as(place).isFalse();
            assertThat(value.isNull() || value.isEmpty() && value.asInt() == 0)
                .as("%s%s: %s", operation, place, value)
                .isTrue();
          }
        });
    JsonNode all = json(get("endpoints/h2/vm0/why"));
    assertThat(all.at("/ports/0/furtherBitsPerSecond").longValue())
        .as("an operator")
        .isEqualTo(17_000_000);
  }

  @Test
  void nothingThatATenantsUserSeesDependsOnOthers() throws SluiceException {
    Map<String, String> views = views();
    Map<String, String> events = events(RED);
    addTenant("blue", "h3", 3);
    services.flows.add(TenantId.of("blue"));
    services.journal.add(
        0,
        JournalEntry.of(
            9,
            Instant.ofEpochSecond(9),
            JournalEntry.Kind.DEADLINE,
            "sluice",
            Optional.of(FakeServices.PORT),
            Optional.empty(),
            Optional.of(TenantId.of("blue")),
            "of blue",
            "of blue"));
    services.endpoint =
        Endpoint.of(
            services.endpoint.id(),
            services.endpoint.mac(),
            services.endpoint.ips(),
            services.endpoint.tenant(),
            services.endpoint.attachment(),
            0,
            List.of(),
            EndpointTraffic.of(1, 1, 1, false));
    services.port =
        services.port.toBuilder().loadBitsPerSecond(1).activeEndpoints(9).activeWeight(9).build();
    services.host = services.host.toBuilder().endpointCount(7).build();

    Map<String, String> after = views();
    after.remove("GET /stream");
    views.remove("GET /stream");
    assertThat(after).isEqualTo(views).hasSizeGreaterThan(8);
    Map<String, String> eventsAfter = events(RED);
    eventsAfter.remove("time");
    events.remove("time");
    assertThat(eventsAfter).isEqualTo(events).containsKeys("endpoints", "flows", "tenants");
    assertThat(events("viewer")).as("a viewer").isNotEqualTo(events);
  }

  private static JsonNode tree(String text) {
    return OpenApiTest.tree(text);
  }
}
