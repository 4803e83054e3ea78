// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.ws.rs.Path;
import javax.ws.rs.client.Entity;
import javax.ws.rs.client.Invocation;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.MediaType;
import org.glassfish.jersey.server.model.Resource;
import org.glassfish.jersey.server.model.ResourceMethod;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowState;

/** What openapi.json describes is what is served, all of it and nothing else. */
class OpenApiTest extends RestTestBase {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final OpenApiDocument DOCUMENT = OpenApiDocument.served();

  private static final String TENANT =
      "{\"id\":\"t1\",\"weight\":2.5,\"guaranteeBitsPerSecond\":5000000,\"ceilingBitsPerSecond\":40000000,\"receiveCeilingBitsPerSecond\":20000000,\"ecn\":\"preserve\","
          + "\"members\":[{\"ipPrefix\":\"10.1.0.0/16\"},{\"mac\":\"02:00:00:00:01:01\",\"weight\":2},"
          + "{\"domain\":\"web1\",\"network\":\"blue\",\"vlan\":100,\"bridge\":\"br0\"},"
          + "{\"namespace\":\"shop\",\"labels\":{\"app\":\"web\"}},"
          + "{\"host\":\"h1\",\"interface\":\"vm0\"}]}";
  private static final String PATCH =
      "{\"weight\":null,\"guaranteeBitsPerSecond\":null,\"ceilingBitsPerSecond\":null,\"receiveCeilingBitsPerSecond\":null,\"ecn\":null,"
          + "\"members\":null,\"addMembers\":null,\"removeMembers\":[]}";
  private static final String FLOW =
      "{\"source\":\"10.0.0.1\",\"sourcePort\":0,\"destination\":\"10.0.0.5\","
          + "\"destinationPort\":5001,\"sizeBytes\":400000,\"dueInMillis\":300,\"force\":false}";
  private static final String FLOW_CHANGE =
      "{\"sizeBytes\":5,\"deadline\":\"2100-01-01T00:00:00.5Z\",\"force\":false}";

  private static final String PROFILES =
      "{\"version\":1,\"name\":\"web\",\"cycleSeconds\":10,"
          + "\"constraints\":{\"utilisationPercent\":70,\"dropPercent\":0.1,"
          + "\"leastRtoMinMillis\":1,\"mostInitialWindow\":44,\"congestionControls\":[\"dctcp\"]},"
          + "\"groups\":[{\"name\":\"web\",\"hosts\":[\"h1\"]}],"
          + "\"policies\":[{\"name\":\"fast\",\"for\":\"pairs\",\"from\":[\"web\"],\"to\":[\"web\"],"
          + "\"links\":\"path\",\"enterBelow\":{\"utilisationPercent\":50,\"dropPercent\":0.01},"
          + "\"leaveAt\":{\"utilisationPercent\":60,\"dropPercent\":0.02},\"leastCycles\":3,"
          + "\"hints\":{\"initialWindow\":20,\"rtoMinMillis\":4,\"congestionControl\":\"dctcp\","
          + "\"pacingBitsPerSecond\":5000000}}]}";
  private static final String TENANTS = "{\"tenants\":[" + TENANT + "]}";
  private static final String REFUSED_TENANTS =
      "{\"tenants\":[{\"id\":\"red\",\"guaranteeBitsPerSecond\":50000000}]}";
  private static final String UNKNOWN = "{\"revision\":99}";
  private static final String ROLLBACK = "{\"revision\":1}";

  /** A request of each operation that succeeds, with every parameter that the operation takes. */
  private static final Map<String, Request> EXAMPLES =
      Map.ofEntries(
          Map.entry("GET /access", new Request("access")),
          Map.entry("GET /tenants", new Request("tenants")),
          Map.entry("POST /tenants", new Request("tenants?allowRefusedAddresses=true", TENANT)),
          Map.entry(
              "PUT /tenants",
              new Request("tenants?dryRun=true&allowRefusedAddresses=true", TENANTS)),
          Map.entry("GET /tenants/{id}", new Request("tenants/red")),
          Map.entry(
              "PUT /tenants/{id}", new Request("tenants/t1?allowRefusedAddresses=true", TENANT)),
          Map.entry(
              "PATCH /tenants/{id}", new Request("tenants/red?allowRefusedAddresses=true", PATCH)),
          Map.entry("DELETE /tenants/{id}", new Request("tenants/red?allowRefusedAddresses=true")),
          Map.entry("GET /flows", new Request("flows?kind=deadline&state=waiting&limit=5")),
          Map.entry("POST /flows", new Request("flows", FLOW)),
          Map.entry("GET /flows/{id}", new Request("flows/1")),
          Map.entry("GET /flows/{id}/why", new Request("flows/1/why")),
          Map.entry("PUT /flows/{id}", new Request("flows/1", FLOW_CHANGE)),
          Map.entry("DELETE /flows/{id}", new Request("flows/1")),
          Map.entry("GET /deadlines", new Request("deadlines")),
          Map.entry("GET /endpoints", new Request("endpoints")),
          Map.entry("GET /endpoints/{host}/{interface}", new Request("endpoints/h1/vm0")),
          Map.entry("GET /endpoints/{host}/{interface}/why", new Request("endpoints/h1/vm0/why")),
          Map.entry("GET /history", new Request("history?seconds=300")),
          Map.entry("GET /topology", new Request("topology")),
          Map.entry("GET /ports", new Request("ports")),
          Map.entry("GET /ports/{datapath}/{number}", new Request("ports/" + FakeServices.PORT)),
          Map.entry("GET /ports/queues", new Request("ports/queues")),
          Map.entry(
              "GET /ports/{datapath}/{number}/queues",
              new Request("ports/" + FakeServices.PORT + "/queues")),
          Map.entry("GET /caps", new Request("caps")),
          Map.entry("GET /hosts", new Request("hosts")),
          Map.entry("GET /hosts/{id}", new Request("hosts/h1")),
          Map.entry("DELETE /hosts/{id}", new Request("hosts/h1")),
          Map.entry("GET /policies", new Request("policies")),
          Map.entry("PUT /policies", new Request("policies", PROFILES)),
          Map.entry("DELETE /policies", new Request("policies")),
          Map.entry("GET /policies/history", new Request("policies/history")),
          Map.entry("GET /policies/hosts", new Request("policies/hosts")),
          Map.entry("POST /policies/validate", new Request("policies/validate", PROFILES)),
          Map.entry("POST /policies/dry-run", new Request("policies/dry-run", PROFILES)),
          Map.entry("POST /policies/rollback", new Request("policies/rollback", ROLLBACK)),
          Map.entry("GET /doctor", new Request("doctor")),
          Map.entry("GET /cluster", new Request("cluster")),
          Map.entry(
              "GET /journal",
              new Request(
                  "journal?after=-1&before=9&kind=unit-share&law=sluice&tenant=red&endpoint=h1/vm0"
                      + "&since=1970-01-01T00:00:00.000Z&until=2100-01-01T00:00:00Z&limit=5&port="
                      + FakeServices.PORT)),
          Map.entry("GET /stream", new Request("stream?lastEventId=1")),
          Map.entry("GET /metrics", new Request("metrics")),
          Map.entry("GET /openapi.json", new Request("openapi.json")));

  /** A request of each operation that may conflict with the state that it meets, and does. */
  private static final Map<String, Request> CONFLICTS =
      Map.ofEntries(
          Map.entry("POST /tenants", new Request("tenants", "{\"id\":\"red\"}")),
          Map.entry("PUT /tenants", new Request("tenants", REFUSED_TENANTS)),
          Map.entry(
              "PUT /tenants/{id}",
              new Request("tenants/t1", "{\"guaranteeBitsPerSecond\":50000000}")),
          Map.entry(
              "PATCH /tenants/{id}",
              new Request("tenants/red", "{\"guaranteeBitsPerSecond\":50000000}")),
          Map.entry("DELETE /tenants/{id}", new Request("tenants/default")),
          Map.entry("DELETE /hosts/{id}", new Request("hosts/h1")),
          Map.entry("PUT /policies", new Request("policies", "{\"name\":\"huge\"}")),
          Map.entry(
              "POST /policies/dry-run", new Request("policies/dry-run", "{\"name\":\"huge\"}")),
          Map.entry("POST /flows", new Request("flows", FLOW)),
          Map.entry("PUT /flows/{id}", new Request("flows/2", FLOW_CHANGE)),
          Map.entry("DELETE /flows/{id}", new Request("flows/2")));

  /** Objects of which a response has those fields that are given. */
  private static final Pattern MAY_LACK_FIELDS =
      Pattern.compile("/members/|/metadata|/(enterBelow|leaveAt|hints)$");

  /** Fields that a response may lack. */
  private static final Set<String> OPTIONAL =
      Set.of("field", "value", "remedy", "earliestMillis", "refusals");

  /** What {@link #exchanges} has recorded; responses stay the same, so that once is enough. */
  private static List<Exchange> recorded;

  @Test
  void everyStatusOfEveryOperationIsServedAsDocumented() {
    assertThat(EXAMPLES).containsOnlyKeys(DOCUMENT.operations());
    for (Exchange exchange : exchanges()) {
      assertThat(DOCUMENT.flaws(exchange)).as("%s", exchange).isEmpty();
    }
  }

  @Test
  void exactlyTheResourceMethodsAreDocumented() {
    Map<String, Set<String>> served = new TreeMap<>();
    for (Class<?> resource : new SluiceApplication(services, feed).getClasses()) {
      if (resource.isAnnotationPresent(Path.class)) {
        addMethods(Resource.from(resource), "", served);
      }
    }
    Map<String, Set<String>> described = new TreeMap<>();
    DOCUMENT.operations().forEach(one -> described.put(one, DOCUMENT.consumed(one)));
    assertThat(served).isEqualTo(described);
  }

  @Test
  void requestsHaveTheDocumentedFieldsAndParameters() {
    EXAMPLES.forEach(
        (operation, example) -> {
          assertThat(example.parameters())
              .as(operation)
              .isEqualTo(DOCUMENT.queryParameters(operation));
          for (String mediaType : DOCUMENT.consumed(operation)) {
            assertThat(DOCUMENT.flawsOfRequest(operation, mediaType, example.body))
                .as("%s %s", operation, mediaType)
                .isEmpty();
            assertThat(offered(exchange(operation, "400", mediaType)))
                .as("%s %s", operation, mediaType)
                .isEqualTo(DOCUMENT.requestFields(operation, mediaType));
          }
        });
    Exchange refused = Exchange.of("GET /journal", get("journal?nonsense=1"));
    assertThat(offered(refused)).isEqualTo(DOCUMENT.queryParameters("GET /journal"));
  }

  /** Nor does REST take any. */
  @Test
  void changesWithoutABodyHaveTheHeaderThatForeignPagesCannotSend() {
    Set<String> without = new TreeSet<>();
    Set<String> marked = new TreeSet<>();
    for (String operation : DOCUMENT.operations()) {
      if (!operation.startsWith("GET ") && DOCUMENT.consumed(operation).isEmpty()) {
        without.add(operation);
      }
      if (DOCUMENT.headers(operation).contains(ForeignPageFilter.MARK)) {
        marked.add(operation);
      }
    }
    assertThat(marked).isNotEmpty().isEqualTo(without);
  }

  /** Whoever reads a number need not look its unit up. Rates are whole numbers. */
  @Test
  void quantitiesHaveTheirUnitInTheName() {
    Pattern unit = Pattern.compile(".*(Millis|Seconds|Percent)");
    Pattern withoutUnit = Pattern.compile("(alpha|beta|ceShare|.*[wW]eight|.*[sS]cale)");
    assertThat(DOCUMENT.fieldsOfNumbers())
        .hasSizeGreaterThan(10)
        .allMatch(name -> unit.matcher(name).matches() || withoutUnit.matcher(name).matches());
  }

  @Test
  void requestsHaveNoOtherFields() {
    EXAMPLES.forEach(
        (operation, example) -> {
          for (String mediaType : DOCUMENT.consumed(operation)) {
            assertThat(DOCUMENT.openObjects(operation, mediaType)).as(operation).isEmpty();
          }
          for (String place : example.body == null ? List.<String>of() : objects(example.body)) {
            setUpState();
            JsonNode body = tree(example.body);
            ((ObjectNode) body.at(place)).put("surplus", 1);
            assertThat(send(operation.split(" ")[0], path(operation), body.toString()).getStatus())
                .as("%s %s", operation, body)
                .isEqualTo(400);
          }
        });
  }

  @Test
  void aParameterWithoutANameIsRefused() {
    for (String operation : DOCUMENT.operations()) {
      problem(
          at(path(operation) + "?=1").method(operation.split(" ")[0], body(operation)),
          400,
          "",
          "1");
    }
  }

  /** Without parameters. */
  private static String path(String operation) {
    return EXAMPLES.get(operation).path.split("\\?")[0];
  }

  private static Entity<String> body(String operation) {
    String body = EXAMPLES.get(operation).body;
    return body == null ? null : Entity.json(body);
  }

  @Test
  void journalKindsAreDocumented() {
    String all =
        Arrays.stream(JournalEntry.Kind.values())
            .map(JournalEntry.Kind::text)
            .collect(Collectors.joining(", "));
    assertThat(DOCUMENT.parameterDescription("GET /journal", "kind")).endsWith(": " + all);
  }

  @Test
  void everyBodyHasAValidExample() {
    for (String operation : DOCUMENT.operations()) {
      assertThat(DOCUMENT.flawsOfExamples(operation)).as(operation).isEmpty();
    }
  }

  @Test
  void everyComponentIsReferenced() {
    assertThat(DOCUMENT.unusedComponents()).isEmpty();
  }

  @Test
  void undocumentedFieldIsDetected() {
    for (Exchange exchange : exchanges()) {
      for (String place : objects(exchange)) {
        JsonNode body = tree(exchange.body);
        ((ObjectNode) body.at(place)).put("surplus", 1);
        assertThat(DOCUMENT.flaws(exchange.withBody(body))).as("%s", body).isNotEmpty();
      }
    }
  }

  @Test
  void documentedButMissingFieldIsDetected() {
    for (Exchange exchange : exchanges()) {
      for (String place : objects(exchange)) {
        Iterable<String> names = () -> tree(exchange.body).at(place).fieldNames();
        for (String name : names) {
          if (!OPTIONAL.contains(name) && !MAY_LACK_FIELDS.matcher(place).find()) {
            JsonNode body = tree(exchange.body);
            ((ObjectNode) body.at(place)).remove(name);
            assertThat(DOCUMENT.flaws(exchange.withBody(body))).as("%s", body).isNotEmpty();
          }
        }
      }
    }
  }

  /** Which shows, too, that every field that is described is served at least once. */
  @Test
  void fieldRemovedFromASchemaIsDetected() {
    for (String field : DOCUMENT.responseFields()) {
      OpenApiDocument poorer = DOCUMENT.without(field);
      String key = "\"" + field.substring(field.lastIndexOf('/') + 1) + "\":";
      assertThat(exchanges().stream().filter(one -> one.body.contains(key)))
          .as(field)
          .anyMatch(one -> !poorer.flaws(one).isEmpty());
    }
  }

  /** An exchange for every status of every operation, and such as lack what may lack. */
  private List<Exchange> exchanges() {
    if (recorded == null) {
      recorded = exchangeEverything();
    }
    return recorded;
  }

  private List<Exchange> exchangeEverything() {
    List<Exchange> exchanges = new ArrayList<>();
    for (String operation : DOCUMENT.operations()) {
      for (String status : DOCUMENT.statuses(operation)) {
        exchanges.add(exchange(operation, status, MediaType.APPLICATION_JSON));
      }
    }
    exchanges.add(exchange("PATCH /tenants/{id}", "200", "application/merge-patch+json"));
    exchanges.add(Exchange.of("GET /journal", get("journal")));
    setUpState();
    services.flows.admission = Admission.never();
    exchanges.add(Exchange.of("PUT /flows/{id}", send("PUT", "flows/1", FLOW_CHANGE)));
    services.endpoint =
        Endpoint.of(
            FakeServices.ENDPOINT,
            services.endpoint.mac(),
            Set.of(),
            TenantId.DEFAULT,
            Optional.empty(),
            0);
    services.port =
        PortStatus.builder(FakeServices.PORT)
            .capacityBitsPerSecond(50_000_000)
            .capacitySource(PortStatus.CapacitySource.SWITCH)
            .build();
    services.host =
        services.host.toBuilder()
            .uplink("")
            .uplinkCapacityBitsPerSecond(0)
            .switchPorts(List.of(FakeServices.PORT))
            .build();
    for (String path : List.of("endpoints", "ports", "hosts")) {
      exchanges.add(Exchange.of("GET /" + path, get(path)));
    }
    exchanges.add(Exchange.of("GET /flows", get("flows?kind=background")));
    services.policies.makePlain();
    exchanges.add(Exchange.of("GET /policies", get("policies")));
    services.queues.makePlain();
    for (String path : List.of("ports/queues", "caps")) {
      exchanges.add(Exchange.of("GET /" + path, get(path)));
    }
    exchanges.add(Exchange.of("GET /flows", get("flows?kind=background")));
    return exchanges;
  }

  /** Has an operation return a status. */
  private Exchange exchange(String operation, String status, String mediaType) {
    setUpState();
    Request request = EXAMPLES.get(operation);
    String method = operation.split(" ")[0];
    String role = "admin";
    String accepted = MediaType.WILDCARD;
    String header = HttpHeaders.IF_NONE_MATCH;
    String etag = null;
    switch (status) {
      case "204":
        services.host = services.host.toBuilder().connected(false).build();
        break;
      case "200":
        if (operation.equals("PUT /tenants/{id}")) {
          send(method, request.path, request.body).close();
        }
        break;
      case "304":
        etag = at(request.path).get().getHeaderString(HttpHeaders.ETAG);
        break;
      case "400":
        request =
            request.body == null
                ? new Request(request.path + (request.path.contains("?") ? "&" : "?") + "no=1")
                : new Request(request.path, "{\"nonsense\":1}");
        break;
      case "401":
        role = null;
        break;
      case "412":
        header = HttpHeaders.IF_MATCH;
        etag = "\"other\"";
        break;
      case "413":
        request = new Request(request.path, "{\"\":\"" + "x".repeat(1 << 20) + "\"}");
        break;
      case "403":
        role = "viewer";
        break;
      case "404":
        String unknown = operation.split(" /")[1].replaceAll("\\{\\w+}", "99");
        request = new Request(unknown, ROLLBACK.equals(request.body) ? UNKNOWN : request.body);
        break;
      case "409":
        request = CONFLICTS.get(operation);
        services.flows.admission = Admission.cannotBeMet(512_000_100);
        break;
      case "415":
        mediaType = MediaType.TEXT_PLAIN;
        break;
      case "503":
        services.withdrawAll();
        break;
      case "default":
        accepted = MediaType.TEXT_HTML;
        break;
      default:
        assertThat(status).as("status of %s", operation).isEqualTo("201");
    }
    Invocation.Builder call =
        at(request.path).header("Role", null).header("Role", role).accept(accepted);
    if (etag != null) {
      call.header(header, etag);
    }
    Exchange exchange =
        Exchange.of(
            operation,
            request.body == null
                ? call.method(method)
                : call.method(method, Entity.entity(request.body, mediaType)));
    int expected = status.equals("default") ? 406 : Integer.parseInt(status);
    assertThat(exchange.status).as("%s", exchange).isEqualTo(expected);
    return exchange;
  }

  /** A tenant red, and two registrations of which the second has ended. */
  private void setUpState() {
    services = new FakeServices();
    TenantId red = TenantId.of("red");
    try {
      services.tenants.put(red, Tenant.builder(red).build());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
    send("POST", "flows", FLOW).close();
    send("POST", "flows", FLOW).close();
    send("PUT", "policies", PROFILES).close();
    services.flows.flows.computeIfPresent(
        2L, (id, flow) -> flow.toBuilder().state(FlowState.MET).build());
  }

  private static void addMethods(Resource resource, String above, Map<String, Set<String>> served) {
    String path = above + (resource.getPath().startsWith("/") ? "" : "/") + resource.getPath();
    assertThat(resource.getResourceLocator()).as("locator at %s", path).isNull();
    for (ResourceMethod method : resource.getResourceMethods()) {
      served.put(
          method.getHttpMethod() + " " + path,
          method.getConsumedTypes().stream()
              .map(MediaType::toString)
              .collect(Collectors.toCollection(TreeSet::new)));
    }
    resource.getChildResources().forEach(child -> addMethods(child, path, served));
  }

  /** What a refusal names as what could be used instead. */
  private static Set<String> offered(Exchange refused) {
    String remedy = tree(refused.body).path("remedy").asText();
    return new TreeSet<>(List.of(remedy.replaceFirst("^Use these \\w+: ", "").split(", ")));
  }

  /** Pointers to all objects in a body that the document describes. */
  private static List<String> objects(Exchange exchange) {
    return exchange.body.isEmpty()
            || !exchange.isJson()
            || exchange.operation.equals("GET /openapi.json")
        ? List.of()
        : objects(exchange.body);
  }

  private static List<String> objects(String body) {
    List<String> places = new ArrayList<>();
    addObjects(tree(body), "", places);
    return places;
  }

  private static void addObjects(JsonNode node, String place, List<String> places) {
    if (node.isObject()) {
      places.add(place);
    }
    node.fields()
        .forEachRemaining(
            field -> addObjects(field.getValue(), place + "/" + field.getKey(), places));
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      addObjects(node.get(i), place + "/" + i, places);
    }
  }

  static JsonNode tree(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  /** Path with query, and body if there is one. */
  private static final class Request {
    final String path;
    final String body;

    Request(String path) {
      this(path, null);
    }

    Request(String path, String body) {
      this.path = path;
      this.body = body;
    }

    Set<String> parameters() {
      Set<String> names = new TreeSet<>();
      String query = path.contains("?") ? path.substring(path.indexOf('?') + 1) : "";
      for (String parameter : query.split("&")) {
        names.add(parameter.split("=")[0]);
      }
      names.remove("");
      return names;
    }
  }
}
