// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.IpAddress;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Inventory;

/** The fixtures lie beside this class's resources, named after what is wrong with them. */
class OperatorDocumentTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static OperatorDocument read(String fixture) throws Exception {
    try (InputStream in = OperatorDocumentTest.class.getResourceAsStream(fixture + ".json")) {
      return OperatorDocument.read(MAPPER.readTree(in));
    }
  }

  @Test
  void readsCapacitiesAndTenants() throws Exception {
    OperatorDocument config = read("valid");

    assertThat(config.capacitiesBitsPerSecond())
        .containsEntry(PortId.parse("of:0000000000000001/5"), 50_000_000L)
        .containsEntry(PortId.parse("of:0000000000000002/1"), 2_500_000L);
    assertThat(config.tenants()).extracting(tenant -> tenant.id().name()).containsExactly("t1");
    Tenant tenant = config.tenants().get(0);
    assertThat(tenant.weight()).isEqualTo(2);
    assertThat(tenant.guaranteeBitsPerSecond()).isEqualTo(5_000_000);
    assertThat(tenant.members()).extracting(Member::weight).containsExactly(0.5);
    Inventory inventory = config.inventory();
    assertThat(inventory.gateways())
        .containsExactlyInAnyOrder(IpAddress.parse("10.0.0.254"), IpAddress.parse("fd00::fe"));
    assertThat(inventory.endpoints().get(IpAddress.parse("10.0.0.7"))).hasToString("h1/vm0");
    assertThat(inventory.macs().get(IpAddress.parse("10.0.0.8"))).hasToString("02:00:00:00:01:08");
  }

  /** What the documents show, as it stands in a file for ONOS. */
  @Test
  void readsTheExampleOfTheDocuments() throws Exception {
    JsonNode all = MAPPER.readTree(Files.readString(Path.of("../../docs/netcfg/example.json")));
    OperatorDocument config = OperatorDocument.read(all.at("/apps/org.sluice/sluice"));

    assertThat(config.capacitiesBitsPerSecond()).hasSize(2);
    assertThat(config.tenants())
        .extracting(tenant -> tenant.id().name())
        .containsExactly("gold", "default");
    assertThat(config.tenants().get(0).members()).hasSize(3);
    assertThat(config.inventory().gateways()).hasSize(2);
    assertThat(config.inventory().endpoints()).hasSize(1);
    assertThat(config.inventory().macs()).hasSize(1);
  }

  @Test
  void emptyConfigurationIsValid() throws Exception {
    OperatorDocument config = read("valid-empty");

    assertThat(config.capacitiesBitsPerSecond()).isEmpty();
    assertThat(config.tenants()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "invalid-unknown-field, prots, not known",
    "invalid-ports-list, ports, Use",
    "invalid-port-name, ports.s1-eth5, is not a port",
    "invalid-port-spelling, ports.of:000000000000000A/05, use of:000000000000000a/5",
    "invalid-port-not-an-object, ports.of:0000000000000001/5, capacityMbps",
    "invalid-port-unknown-field, ports.of:0000000000000001/5.capacity, not known",
    "invalid-capacity-missing, ports.of:0000000000000001/5.capacityMbps, above 0",
    "invalid-capacity-zero, ports.of:0000000000000001/5.capacityMbps, above 0",
    "invalid-capacity-text, ports.of:0000000000000001/5.capacityMbps, above 0",
    "invalid-capacity-too-great, ports.of:0000000000000001/5.capacityMbps, 1000000",
    "invalid-tenants-object, tenants, list",
    "invalid-tenant-weight, tenants[1].weight, 0",
    "invalid-tenant-rate-in-bits, tenants[0].guaranteeBitsPerSecond, Use guaranteeMbps",
    "invalid-tenant-rate-text, tenants[0].guaranteeMbps, Use a number without quotes",
    "invalid-tenant-rate-too-great, tenants[0].guaranteeMbps, 1000001: A rate",
    "invalid-tenant-ceiling, tenants[0].ceilingMbps, 2.5: The ceiling lies under the guarantee",
    "invalid-tenant-unknown-field, tenants[0].guarantee, 'id, weight, guaranteeMbps, ceilingMbps,'",
    "invalid-member-weight, tenants[0].members[0].weight, 0.01",
    "invalid-tenant-twice, tenants[1].id, twice",
    "invalid-gateways-object, gateways, list",
    "invalid-gateway, gateways[1], 10.0.0",
    "invalid-addresses-list, addresses, Use",
    "invalid-address-endpoint, addresses.10.0.0.7, h 1",
    "invalid-address-mac, addresses.10.0.0.7, HOST/INTERFACE",
    "invalid-address-of-gateway, addresses.10.0.0.1, gateways",
  })
  void everyFaultNamesItsField(String fixture, String field, String reason) {
    SluiceException refusal = catchThrowableOfType(SluiceException.class, () -> read(fixture));

    assertThat(refusal).isNotNull();
    assertThat(refusal.field()).contains(field);
    assertThat(refusal.value() + ": " + refusal.getMessage() + ". " + refusal.remedy())
        .contains(reason);
  }
}
