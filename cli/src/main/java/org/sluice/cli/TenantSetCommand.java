// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;

/** Creates a tenant or changes one. */
@Service
@Command(
    scope = "onos",
    name = "sluice-tenant-set",
    description = "Creates a tenant, or changes what the options give and leaves the rest")
public final class TenantSetCommand extends SluiceCommand {
  @Argument(name = "id", description = "Tenant, such as t1", required = true)
  @Completion(TenantIdCompleter.class)
  private String id;

  @Option(
      name = "-w",
      aliases = "--weight",
      description = "Share of a congested port in proportion to others' (0.01 to 1000)")
  private String weight;

  @Option(
      name = "-g",
      aliases = "--guarantee",
      description = "Minimum rate of each endpoint in Mbit/s; 0 for none")
  private String guarantee;

  @Option(
      name = "-c",
      aliases = "--ceiling",
      description = "Maximum rate of each endpoint in Mbit/s; 0 for none")
  private String ceiling;

  @Option(
      name = "-e",
      aliases = "--ecn",
      description = "Whether congestion marks reach the tenant's VMs: clear or preserve")
  @Completion(EcnCompleter.class)
  private String ecn;

  @Option(
      name = "-m",
      aliases = "--member",
      description =
          "Who belongs to it: a prefix (10.1.0.0/16), an Ethernet address, or a host and interface"
              + " (h1/vm0); repeat for several, 'none' removes all",
      multiValued = true)
  private List<String> members;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    TenantId tenantId = Arguments.parse("id", id, TenantId::of, "Use an id such as t1");
    TenantAdminService tenants = get(TenantAdminService.class);
    Optional<Tenant> existing = tenants.tenant(tenantId);
    Tenant present = existing.isPresent() ? existing.get() : Tenant.builder(tenantId).build();
    Tenant tenant =
        new TenantChange(present)
            .weight(weight)
            .rates(guarantee, ceiling)
            .ecn(ecn)
            .members(members)
            .result();
    tenants.put(tenant);
    show(Listings.TENANTS, List.of(tenant));
  }
}
