// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/**
 * The controller beside a real API server with the manifests' CRD and role; {@code make
 * test-kubernetes-api} runs it, and no other test does.
 */
class ApiServerCheck {
  private static final TenantId SHOP = TenantId.of("k8s.shop");
  private static final String NAMESPACES = "/api/v1/namespaces";
  private static final String OBJECTS =
      "/apis/sluice.org/v1alpha1/namespaces/shop/tenantbandwidths";
  private static final String OBJECT = OBJECTS + "/default";

  private static KubernetesAccess access(String account) {
    return new KubernetesAccess(
        URI.create(System.getenv("KUBERNETES_SERVER")),
        Optional.of(Path.of(System.getenv("KUBERNETES_" + account))),
        Optional.of(Path.of(System.getenv("KUBERNETES_TRUST"))));
  }

  /** Of a pod of the namespace. */
  private static final Endpoint ENDPOINT =
      Endpoint.of(
          EndpointId.parse("h1/veth1"),
          MacAddress.parse("02:00:00:00:00:01"),
          Set.of(),
          SHOP,
          Optional.empty(),
          0);

  private static ObjectNode named(String kind, String apiVersion, String name) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", apiVersion).put("kind", kind).putObject("metadata").put("name", name);
    return object;
  }

  private static ObjectNode bandwidth(String name, double guarantee, double ceiling) {
    ObjectNode object = named("TenantBandwidth", "sluice.org/v1alpha1", name);
    object.putObject("spec").put("guaranteeMbps", guarantee).put("ceilingMbps", ceiling);
    return object;
  }

  private static JsonNode condition(TestClient admin) {
    return admin.get(OBJECT).at("/status/conditions/0");
  }

  @Test
  void objectsMakeTenants() throws Exception {
    TestClient admin = new TestClient(access("ADMIN"));
    TenantsInMemory tenants = new TenantsInMemory();
    assertThat(admin.send("POST", NAMESPACES, named("Namespace", "v1", "shop"))).isEqualTo(201);
    assertThat(admin.send("POST", OBJECTS, bandwidth("other", 0, 0))).as("its name").isEqualTo(422);
    assertThat(admin.send("POST", OBJECTS, bandwidth("default", 5, 4))).as("CEL").isEqualTo(422);
    assertThat(admin.send("POST", OBJECTS, bandwidth("default", -1, 0))).isEqualTo(422);
    try (BandwidthController controller =
        new BandwidthController(
            access("SLUICED"),
            tenants,
            new EndpointsInMemory(List.of(ENDPOINT)),
            () -> true,
            Executors.newSingleThreadScheduledExecutor())) {
      assertThat(controller).isNotNull();
      assertThat(admin.send("POST", OBJECTS, bandwidth("default", 100, 400))).isEqualTo(201);
      until("its tenant", () -> guarantee(tenants) == 100_000_000);
      assertThat(tenants.tenant(SHOP).orElseThrow().weight()).as("the default").isEqualTo(1);
      assertThat(tenants.tenant(SHOP).orElseThrow().members())
          .extracting(Member::toString)
          .containsExactly("namespace:shop");
      until("its status", () -> condition(admin).path("status").asText().equals("True"));
      assertThat(admin.get(OBJECT).at("/status/endpoints").asInt()).isEqualTo(1);

      ObjectNode more = JsonNodeFactory.instance.objectNode();
      more.putObject("spec").put("guaranteeMbps", 1000).put("ceilingMbps", 0);
      assertThat(admin.send("PATCH", OBJECT, more)).isEqualTo(200);
      until("the refusal", () -> condition(admin).path("reason").asText().equals("Refused"));
      assertThat(condition(admin).path("observedGeneration").asInt()).isEqualTo(2);
      assertThat(admin.get(OBJECT).at("/status/guaranteeMbps").asInt()).isEqualTo(100);
      assertThat(guarantee(tenants)).isEqualTo(100_000_000);

      assertThat(admin.send("DELETE", OBJECT, JsonNodeFactory.instance.objectNode()))
          .isEqualTo(200);
      until("no tenant", () -> tenants.tenant(SHOP).isEmpty());
    }
  }

  private static void until(String what, BooleanSupplier holds) {
    BandwidthControllerTest.until(what, holds);
  }

  private static long guarantee(TenantsInMemory tenants) {
    return tenants.tenant(SHOP).map(Tenant::guaranteeBitsPerSecond).orElse(-1L);
  }

  /** What people do with kubectl. */
  private static final class TestClient {
    private final ApiServer server;

    TestClient(KubernetesAccess access) throws IOException {
      server = new ApiServer(access.server(), access.token(), access.trust());
    }

    JsonNode get(String path) {
      try {
        return server.get(path);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    int send(String method, String path, ObjectNode body) throws Exception {
      return server.send(method, path, body).statusCode();
    }
  }
}
