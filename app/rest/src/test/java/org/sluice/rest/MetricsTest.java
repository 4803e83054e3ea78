// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.DoctorService;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortService;
import org.sluice.api.TenantId;

/** What Prometheus collects. */
class MetricsTest extends RestTestBase {
  private List<String> lines() {
    return Arrays.stream(get("metrics").readEntity(String.class).split("\n"))
        .filter(line -> !line.startsWith("#"))
        .collect(Collectors.toList());
  }

  @Test
  void isValidPrometheusText() {
    Response response = get("metrics");
    assertThat(response.getMediaType().toString())
        .isEqualTo("text/plain;charset=utf-8;version=0.0.4");
    assertThat(response.readEntity(String.class))
        .contains("# TYPE sluice_ports gauge\n")
        .contains("# TYPE sluice_journal_entries_total counter\n");
  }

  @Test
  void ratesAreInBytesPerSecond() {
    assertThat(lines())
        .contains(
            "sluice_controlled_port_capacity_bytes_per_second{name=\"leaf1:eth5\",port=\"of:0000000000000001/5\"} 6250000.0",
            "sluice_controlled_port_unit_share_bytes_per_second{name=\"leaf1:eth5\",port=\"of:0000000000000001/5\"} 1562500.0",
            "sluice_tenant_delivered_bytes_per_second{tenant=\"default\"} 2623456.75");
  }

  /** From these Prometheus makes means over any time; gauges say what was in one second. */
  @Test
  void bytesAreCountedBesideRates() {
    assertThat(lines())
        .contains(
            "sluice_controlled_port_carried_bytes_total{name=\"leaf1:eth5\",port=\"of:0000000000000001/5\"} 7.0E9",
            "sluice_tenant_delivered_bytes_total{tenant=\"default\"} 9.0E9");
  }

  @Test
  void countsByTenantHostAndState() {
    assertThat(lines())
        .contains(
            "sluice_ports 1.0",
            "sluice_ports_controlled 1.0",
            "sluice_tenant_endpoints{tenant=\"default\"} 1.0",
            "sluice_tenant_limited_endpoints{tenant=\"default\"} 1.0",
            "sluice_host_connected{host=\"h1\"} 1.0",
            "sluice_host_stopped{host=\"h1\"} 0.0",
            "sluice_host_unseen_endpoints{host=\"h1\"} 0.0",
            "sluice_host_missing_features{host=\"h1\"} 1.0",
            "sluice_host_certificate_not_after_timestamp_seconds{host=\"h1\"} 5000.0",
            "sluice_certificate_not_after_timestamp_seconds{of=\"controller\"} 6000.0",
            "sluice_certificate_not_after_timestamp_seconds{of=\"authority\"} 7000.0",
            "sluice_switch_connected{switch=\"of:0000000000000001\"} 0.0",
            "sluice_findings{severity=\"warning\"} 1.0",
            "sluice_findings{severity=\"error\"} 0.0",
            "sluice_background_caps{enforcer=\"meter\"} 1.0",
            "sluice_policies_in_force 0.0",
            "sluice_hinted_hosts{state=\"in-force\"} 1.0",
            "sluice_hinted_hosts{state=\"refused\"} 0.0",
            "sluice_journal_entries_total 5.0")
        .anyMatch(line -> line.startsWith("sluice_deadline_flows_ended_total{state=\"met\"}"));
  }

  /** There may be thousands; their agents have series for them. */
  @Test
  void endpointsHaveNoSeriesOfTheirOwn() {
    final int before = lines().size();
    for (int i = 2; i < 202; i++) {
      services.others.add(
          Endpoint.of(
              EndpointId.of(HostId.of("h1"), "vm" + i),
              MacAddress.parse(String.format("02:00:00:00:02:%02x", i)),
              Set.of(IpAddress.parse("10.0.1." + i)),
              TenantId.DEFAULT,
              Optional.empty(),
              0));
    }
    assertThat(lines())
        .hasSize(before)
        .contains("sluice_tenant_endpoints{tenant=\"default\"} 201.0");
  }

  @ParameterizedTest
  @ValueSource(classes = {PortService.class, DoctorService.class})
  void isUnavailableAsAWhole(Class<?> away) {
    services.withdraw(away);
    problem(get("metrics"), 503, "", "");
  }

  @Test
  void isForbiddenForTenantUsers() {
    assertThat(as("sluice-tenant sluice-tenant-red", "metrics").get().getStatus()).isEqualTo(403);
  }
}
