// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** By the protocol of an API server; ApiServerCheck does it with a real one. */
class BandwidthControllerTest {
  private static final TenantId SHOP = TenantId.of("k8s.shop");
  private static final long DEADLINE_NANOS = 30_000_000_000L;

  @TempDir Path directory;
  private final TenantsInMemory tenants = new TenantsInMemory();
  private final List<Endpoint> endpoints = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean leads = true;
  private RecordedApi api;
  private BandwidthController controller;

  @BeforeEach
  void start() throws IOException {
    api = new RecordedApi();
  }

  @AfterEach
  void end() {
    if (controller != null) {
      controller.close();
    }
    api.close();
  }

  private void follow() throws IOException {
    Path token = Files.writeString(directory.resolve("token"), "secret\n");
    controller =
        new BandwidthController(
            new KubernetesAccess(api.address(), Optional.of(token), Optional.empty()),
            tenants,
            new EndpointsInMemory(endpoints),
            () -> leads,
            Executors.newSingleThreadScheduledExecutor());
  }

  static void until(String what, BooleanSupplier holds) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private boolean has(double weight, long guaranteeMbps) {
    return tenants
        .tenant(SHOP)
        .filter(tenant -> tenant.weight() == weight)
        .filter(tenant -> tenant.guaranteeBitsPerSecond() == guaranteeMbps * 1_000_000)
        .isPresent();
  }

  private JsonNode condition() {
    return api.status("shop").at("/conditions/0");
  }

  @Test
  void anObjectMakesChangesAndRemovesItsTenant() throws Exception {
    endpoints.add(
        Endpoint.of(
            EndpointId.parse("h1/veth1"),
            MacAddress.parse("02:00:00:00:00:01"),
            Set.of(),
            SHOP,
            Optional.empty(),
            0));
    api.put("bank", "{}");
    api.put("shop", "{\"weight\":2,\"guaranteeMbps\":100,\"ceilingMbps\":400}");
    follow();

    until("a tenant of what was there", () -> has(2, 100));
    assertThat(tenants.tenant(SHOP).orElseThrow().members())
        .extracting(Member::toString)
        .containsExactly("namespace:shop");
    until("a tenant of the second page", () -> tenants.tenant(TenantId.of("k8s.bank")).isPresent());
    until("its status", () -> condition().path("status").asText().equals("True"));
    assertThat(api.status("shop").path("tenant").asText()).isEqualTo("k8s.shop");
    assertThat(api.status("shop").path("endpoints").asInt()).isEqualTo(1);
    assertThat(api.status("shop").path("guaranteeMbps").asDouble()).isEqualTo(100);
    until(
        "why not",
        () -> api.status("bank").at("/conditions/0/reason").asText().equals("NoEndpoints"));

    until("a watch", () -> api.watches() == 1);
    api.put("shop", "{\"weight\":3}");
    until("the change", () -> has(3, 0));
    api.put("shop", "{\"weight\":3,\"guaranteeMbps\":1000}");
    until("the refusal", () -> condition().path("reason").asText().equals("Refused"));
    assertThat(condition().path("message").asText())
        .isEqualTo("It cannot be kept. Use at most 900 Mbit/s");
    assertThat(api.status("shop").path("guaranteeMbps").asDouble()).as("what holds").isZero();
    assertThat(has(3, 0)).isTrue();

    api.delete("shop");
    until("the removal", () -> tenants.tenant(SHOP).isEmpty());
    assertThat(api.requests).allMatch(request -> request.endsWith("Bearer secret"));
  }

  @Test
  void aTenantThatOthersMadeIsLeftAlone() throws Exception {
    Tenant others =
        Tenant.builder(SHOP)
            .members(List.of(Member.ofPrefix(IpPrefix.parse("10.1.0.0/16"))))
            .build();
    tenants.create(others);
    api.put("shop", "{\"weight\":2}");
    follow();

    until("the refusal", () -> condition().path("reason").asText().equals("Refused"));
    assertThat(condition().path("message").asText()).contains("no TenantBandwidth has made");
    assertThat(api.status("shop").has("weight")).isFalse();
    until("a watch", () -> api.watches() == 1);
    api.delete("shop");
    api.put("bank", "{}");
    until("what came later", () -> tenants.tenant(TenantId.of("k8s.bank")).isPresent());
    assertThat(tenants.tenant(SHOP)).contains(others);
  }

  @Test
  void theListIsReadAgainWhenItsVersionIsTooOld() throws Exception {
    api.put("shop", "{\"weight\":2}");
    tenants.create(
        Tenant.builder(TenantId.of("k8s.gone"))
            .members(List.of(Member.parseMetadata("namespace:gone").orElseThrow()))
            .build());
    follow();
    until("a watch", () -> api.watches() == 1);
    assertThat(tenants.tenant(TenantId.of("k8s.gone"))).as("removed meanwhile").isEmpty();

    api.bookmark();
    int marked = api.version();
    api.endWatches();
    until(
        "a watch from the bookmark on",
        () -> api.requests.stream().anyMatch(r -> r.contains("resourceVersion=" + marked)));
    until("the watch", () -> api.watches() == 1);

    long lists = lists();
    api.isGone = true;
    api.endWatches();
    until("another list", () -> lists() > lists);
    until("and a watch", () -> api.watches() == 1);
    api.put("shop", "{\"weight\":5}");
    until("it is followed", () -> has(5, 0));
  }

  @Test
  void anApiThatIsAwayIsFoundAndItsTenantsStay() throws Exception {
    api.put("shop", "{\"weight\":2}");
    follow();
    until("a watch", () -> api.watches() == 1);
    assertThat(controller.finding()).isEmpty();
    assertThat(controller.awaySince()).isEmpty();

    api.isAway = true;
    api.endWatches();
    until("it is noticed", () -> controller.finding().isPresent());
    assertThat(controller.finding().get().what())
        .contains(controller.awaySince().orElseThrow().truncatedTo(ChronoUnit.SECONDS).toString())
        .contains("1 tenants")
        .contains("503");
    assertThat(has(2, 0)).isTrue();

    api.isAway = false;
    until("it answers", () -> controller.finding().isEmpty());
    assertThat(controller.tenants()).isEqualTo(1);
  }

  private long lists() {
    return api.requests.stream().filter(r -> r.startsWith("GET") && r.contains("limit=")).count();
  }

  @Test
  void onlyTheLeaderActs() throws Exception {
    leads = false;
    api.put("shop", "{\"weight\":2}");
    follow();
    leads = true;
    until("it leads", () -> has(2, 0));
    assertThat(lists()).as("none before").isEqualTo(1);
    until("a watch", () -> api.watches() == 1);
    leads = false;
    until(
        "nobody listens",
        () -> {
          api.bookmark();
          return api.watches() == 0;
        });
  }
}
