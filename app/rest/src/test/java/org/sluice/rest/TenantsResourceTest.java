// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

class TenantsResourceTest extends RestTestBase {
  private static final String FULL =
      "{\"id\":\"t1\",\"weight\":2.5,\"guaranteeBitsPerSecond\":5000000,\"ceilingBitsPerSecond\":40000001,"
          + "\"receiveCeilingBitsPerSecond\":20500000,\"ecn\":\"preserve\",\"members\":[{\"ipPrefix\":\"10.1.0.0/16\"},"
          + "{\"mac\":\"02:00:00:00:01:01\",\"weight\":0.25},{\"host\":\"h1\",\"interface\":\"vm0\"},"
          + "{\"domain\":\"web1\"},{\"namespace\":\"shop\",\"labels\":{\"a/b\":\"web\"},\"weight\":3},"
          + "{\"network\":\"blue\",\"vlan\":100,\"bridge\":\"br0\"}]}";

  @Test
  void createsReadsAndListsATenant() {
    Response created = send("POST", "tenants", FULL);
    assertThat(created.getStatus()).isEqualTo(201);
    assertThat(created.getLocation().getPath()).endsWith("/tenants/t1");
    assertThat(services.lastAuthor).as("who is journaled for it").isEqualTo("test");
    assertThat(created.readEntity(String.class)).isEqualTo(FULL);

    Tenant stored = services.tenants.get(TenantId.of("t1"));
    assertThat(stored.guaranteeBitsPerSecond()).isEqualTo(5_000_000);
    assertThat(stored.ceilingBitsPerSecond()).isEqualTo(40_000_001);
    assertThat(stored.receiveCeilingBitsPerSecond()).isEqualTo(20_500_000);
    assertThat(stored.preserveEcn()).isTrue();
    assertThat(stored.members())
        .extracting(Member::weight)
        .containsExactly(1.0, 0.25, 1.0, 1.0, 3.0, 1.0);

    assertThat(get("tenants/t1").readEntity(String.class)).isEqualTo(withRates(FULL));
    assertThat(get("tenants").readEntity(String.class))
        .isEqualTo(
            "{\"tenants\":[{\"id\":\"default\",\"weight\":1,\"guaranteeBitsPerSecond\":0,\"ceilingBitsPerSecond\":0,"
                + "\"receiveCeilingBitsPerSecond\":0,\"ecn\":\"clear\",\"members\":[]},"
                + FULL
                + "]}");
  }

  @Test
  void putCreatesThenReplacesWithDefaults() {
    Response created = send("PUT", "tenants/t1", FULL);
    assertThat(created.getStatus()).isEqualTo(201);
    assertThat(created.getLocation().getPath()).endsWith("/tenants/t1");
    Response replaced = send("PUT", "tenants/t1", "{\"weight\":3}");
    assertThat(replaced.getStatus()).isEqualTo(200);
    assertThat(replaced.readEntity(String.class))
        .isEqualTo(
            "{\"id\":\"t1\",\"weight\":3,\"guaranteeBitsPerSecond\":0,\"ceilingBitsPerSecond\":0,"
                + "\"receiveCeilingBitsPerSecond\":0,\"ecn\":\"clear\",\"members\":[]}");
  }

  @Test
  void patchChangesGivenFieldsAndNullResetsThem() {
    send("PUT", "tenants/t1", FULL);
    Response changed =
        send("PATCH", "tenants/t1", "{\"weight\":3,\"ceilingBitsPerSecond\":null,\"ecn\":null}");
    assertThat(changed.getStatus()).isEqualTo(200);
    assertThat(changed.readEntity(String.class))
        .isEqualTo(FULL.replace("2.5", "3").replace("40000001", "0").replace("preserve", "clear"));
  }

  @Test
  void patchAddsAndRemovesSingleMembers() {
    send("PUT", "tenants/t1", FULL);
    String change =
        "{\"addMembers\":[{\"host\":\"h1\",\"interface\":\"vm0\",\"weight\":3},"
            + "{\"ipPrefix\":\"10.2.0.0/16\"}],\"removeMembers\":[{\"ipPrefix\":\"10.1.0.0/16\"}]}";
    Response changed = send("PATCH", "tenants/t1", change);
    assertThat(changed.getStatus()).isEqualTo(200);
    assertThat(services.tenants.get(TenantId.of("t1")).members())
        .extracting(Member::toString)
        .containsExactly(
            "02:00:00:00:01:01=0.25",
            "domain:web1",
            "namespace:shop+label:a/b:web=3",
            "network:blue+vlan:100+bridge:br0",
            "h1/vm0=3",
            "10.2.0.0/16");

    problem(send("PATCH", "tenants/t1", change), 400, "removeMembers[0]", "10.1.0.0/16");
    problem(
        send(
            "PATCH",
            "tenants/t1",
            "{\"members\":[],\"addMembers\":[{\"host\":\"h1\",\"interface\":\"vm0\"}]}"),
        400,
        "members",
        "[]");
    problem(send("PUT", "tenants/t1", "{\"addMembers\":[]}"), 400, "addMembers", "[]");
  }

  @Test
  void refusedAddressesAreAllowedOnRequestOnly() {
    for (String[] change :
        new String[][] {
          {"POST", "tenants", "{\"id\":\"t1\"}"},
          {"PUT", "tenants/t1", "{}"},
          {"PATCH", "tenants/t1", "{}"},
          {"DELETE", "tenants/t1", null},
          {"PUT", "tenants", "{\"tenants\":[]}"}
        }) {
      services.refusesAddresses = true;
      Response refused = send(change[0], change[1], change[2]);
      assertThat(refused.getStatus()).as(change[0]).isEqualTo(409);
      assertThat(refused.readEntity(String.class)).contains("urn:sluice:problem:unconfirmed");
      Response made = send(change[0], change[1] + "?allowRefusedAddresses=true", change[2]);
      assertThat(made.getStatus()).as(change[0]).isBetween(200, 204);
    }
  }

  @Test
  void patchKeepsConcurrentChanges() {
    send("PUT", "tenants/t1", FULL);
    services.meanwhile =
        () ->
            send("PATCH", "tenants/t1", "{\"ceilingBitsPerSecond\":20000000}")
                .readEntity(String.class);
    Response changed = send("PATCH", "tenants/t1", "{\"weight\":3}");
    assertThat(changed.getStatus()).isEqualTo(200);
    String both = FULL.replace("2.5", "3").replace("40000001", "20000000");
    assertThat(changed.readEntity(String.class)).isEqualTo(both);
    assertThat(get("tenants/t1").readEntity(String.class)).isEqualTo(withRates(both));
  }

  /** One that is read by itself has what it was promised and what it gets. */
  private static String withRates(String tenant) {
    return tenant.substring(0, tenant.length() - 1)
        + ",\"promisedBitsPerSecond\":30000000,\"deliveredBitsPerSecond\":20987654,"
        + "\"refusedIps\":[{\"endpoint\":\"h1/vm0\",\"ip\":\"10.0.0.7\"}],"
        + "\"scaledFloors\":[{\"port\":\"of:0000000000000001/5\",\"scale\":0.75}]}";
  }

  @Test
  void removes() {
    send("PUT", "tenants/t1", "{}");
    assertThat(at("tenants/t1").delete().getStatus()).isEqualTo(204);
    problem(get("tenants/t1"), 404, "id", "t1");
  }

  @Test
  void refusesToRemoveTheDefaultTenant() {
    problem(at("tenants/default").delete(), 409, "id", "default");
  }

  @Test
  void anUnknownTenantIsNotFound() {
    problem(get("tenants/none"), 404, "id", "none");
    problem(get("tenants/no such"), 404, "id", "no such");
    problem(at("tenants/none").delete(), 404, "id", "none");
    problem(send("PATCH", "tenants/none", "{}"), 404, "id", "none");
  }

  @Test
  void rejectsCreationOfAnExistingTenant() {
    problem(send("POST", "tenants", "{\"id\":\"default\"}"), 409, "id", "default");
  }

  @Test
  void infeasibleGuaranteeIsRejectedInTheRequestsUnit() {
    problem(
        send("PUT", "tenants/t1", "{\"guaranteeBitsPerSecond\":46500000}"),
        409,
        "guaranteeBitsPerSecond",
        "46500000");
    assertThat(services.tenants).doesNotContainKey(TenantId.of("t1"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"wieght\":2}                        | wieght        | 2",
        "{\"\":2}                              | \"\"            | 2",
        "{\"members\":[{\"\":2}]}              | members[0].\"\" | 2",
        "{\"weight\":\"2\"}                    | weight        | \"2\"",
        "{\"weight\":0}                        | weight        | 0.0",
        "{\"weight\":-1}                       | weight        | -1.0",
        "{\"weight\":1e400}                    | weight        | Infinity",
        "{\"weight\":1001}                     | weight        | 1001.0",
        "{\"weight\":true}                     | weight        | true",
        "{\"guaranteeBitsPerSecond\":-1} | guaranteeBitsPerSecond | -1",
        "{\"guaranteeBitsPerSecond\":1000001000000} | guaranteeBitsPerSecond | 1000001000000",
        "{\"guaranteeBitsPerSecond\":1e999999999} | guaranteeBitsPerSecond | Infinity",
        "{\"guaranteeBitsPerSecond\":1e-999999999} | guaranteeBitsPerSecond | 1E-999999999",
        "{\"guaranteeBitsPerSecond\":5000000.5} | guaranteeBitsPerSecond | 5000000.5",
        "{\"guaranteeBitsPerSecond\":[]} | guaranteeBitsPerSecond | []",
        "{\"ceilingBitsPerSecond\":\"10M\"} | ceilingBitsPerSecond | \"10M\"",
        "{\"guaranteeBitsPerSecond\":9000000,\"ceilingBitsPerSecond\":8000000} | ceilingBitsPerSecond | 8000000",
        "{\"receiveCeilingBitsPerSecond\":-1} | receiveCeilingBitsPerSecond | -1",
        "{\"ecn\":\"mark\"}                    | ecn           | mark",
        "{\"ecn\":1}                           | ecn           | 1",
        "{\"id\":\"t2\"}                       | id            | t2",
        "{\"id\":7}                            | id            | 7",
        "{\"members\":{}}                      | members       | {}",
        "{\"members\":[\"h1\"]}                | members[0]    | \"h1\"",
        "{\"members\":[{}]}                    | members[0]    | {}",
        "{\"members\":[{\"host\":\"h1\"}]}     | members[0]    | {\"host\":\"h1\"}",
        "{\"members\":[{\"interface\":\"v\"}]} | members[0]    | {\"interface\":\"v\"}",
        "{\"members\":[{\"ip\":\"10.0.0.1\"}]} | members[0].ip | \"10.0.0.1\"",
        "{\"members\":[{\"mac\":\"02:00:00:00:01:01\",\"weight\":0}]} | members[0].weight | 0",
        "{\"members\":[{\"weight\":2}]}       | members[0]    | {\"weight\":2}",
        "{\"members\":[{\"ipPrefix\":\"10.0.0.0/8\"},{\"ipPrefix\":\"10.0.0.0/8\",\"weight\":2}]}"
            + " | members[1] | {\"ipPrefix\":\"10.0.0.0/8\",\"weight\":2}",
        "{\"members\":[{\"mac\":\"02:00\"}]}   | members[0].mac | 02:00",
        "{\"members\":[{\"vlan\":4095}]}      | members[0].vlan | 4095",
        "{\"members\":[{\"vlan\":1.5}]}       | members[0].vlan | 1.5",
        "{\"members\":[{\"namespace\":\"A\"}]} | members[0].namespace | A",
        "{\"members\":[{\"labels\":{\"a\":\"-\"}}]} | members[0].labels | a=-",
        "{\"members\":[{\"labels\":{}}]}      | members[0]    | {\"labels\":{}}",
        "{\"members\":[{\"bridge\":\"br0\",\"ipPrefix\":\"10.0.0.0/8\"}]}"
            + " | members[0] | {\"bridge\":\"br0\",\"ipPrefix\":\"10.0.0.0/8\"}",
        "{\"members\":[{\"ipPrefix\":\"x\"}]}  | members[0].ipPrefix | x",
        "{\"members\":[{\"ipPrefix\":\"10.0.0.1/8\"}]} | members[0].ipPrefix | 10.0.0.1/8",
        "{\"members\":[{\"ipPrefix\":\"10.0.0.0/33\"}]} | members[0].ipPrefix | 10.0.0.0/33",
        "{\"members\":[{\"host\":\"h 1\",\"interface\":\"v\"}]} | members[0].host | h 1",
        "{\"members\":[{\"host\":\"h1\",\"interface\":\"a/b\"}]} | members[0].interface | a/b",
      })
  void refusesAWrongField(String body, String field, String value) {
    problem(send("PUT", "tenants/t1", body), 400, field, value);
    assertThat(services.tenants).doesNotContainKey(TenantId.of("t1"));
  }

  @Test
  void rejectsAmbiguousAndDuplicateMembers() {
    String two = "{\"mac\":\"02:00:00:00:01:01\",\"ipPrefix\":\"10.0.0.0/8\"}";
    problem(send("PUT", "tenants/t1", "{\"members\":[" + two + "]}"), 400, "members[0]", two);
    String one = "{\"mac\":\"02:00:00:00:01:01\"}";
    problem(
        send("PUT", "tenants/t1", "{\"members\":[" + one + "," + one + "]}"),
        400,
        "members[1]",
        one);
  }

  @Test
  void suggestsThePrefixOfAnAddressWithHostBits() {
    Response refused = send("PUT", "tenants/t1", "{\"members\":[{\"ipPrefix\":\"10.1.2.3/16\"}]}");
    assertThat(problem(refused, 400, "members[0].ipPrefix", "10.1.2.3/16").path("detail").asText())
        .contains("10.1.0.0/16");
  }

  @Test
  void refusesANewTenantWithoutId() {
    problem(send("POST", "tenants", "{}"), 400, "id", "");
  }

  @Test
  void rejectsAnInvalidId() {
    problem(send("POST", "tenants", "{\"id\":\"a b\"}"), 400, "id", "a b");
    problem(send("PUT", "tenants/a b", "{}"), 400, "id", "a b");
  }
}
