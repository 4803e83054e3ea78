// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Map;
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
@Needs(Permission.CHANGE_ALL)
@Command(
    scope = "onos",
    name = "sluice-tenant-set",
    description = "Creates a tenant, or changes those of its properties that are given")
public final class TenantSetCommand extends SluiceCommand {
  private static final Map<String, String> OPTIONS =
      Map.of(
          "-w",
          "--weight",
          "-g",
          "--guarantee",
          "-c",
          "--ceiling",
          "-r",
          "--receive-ceiling",
          "-e",
          "--ecn",
          "-m",
          "--member");
  private static final List<String> JSON = List.of("-j", "--json");

  @Argument(
      name = "id",
      description = "Tenant, such as t1; options may also follow it",
      required = true,
      multiValued = true)
  @Completion(TenantIdCompleter.class)
  private List<String> arguments;

  @Option(
      name = "-w",
      aliases = "--weight",
      description =
          "Share of a congested port in proportion to other tenants' (0.01 to 1000); with"
              + " share = endpoint, each endpoint's in proportion to other endpoints'")
  private String weight;

  @Option(
      name = "-g",
      aliases = "--guarantee",
      description =
          "Minimum rate of all its endpoints together in Mbit/s; 0 for none. With share ="
              + " endpoint, of each endpoint")
  private String guarantee;

  @Option(
      name = "-c",
      aliases = "--ceiling",
      description =
          "Maximum rate of all its endpoints together in Mbit/s; 0 for none. With share ="
              + " endpoint, of each endpoint")
  private String ceiling;

  @Option(
      name = "-r",
      aliases = "--receive-ceiling",
      description =
          "Maximum rate that the network brings each of its endpoints in Mbit/s; 0 for none."
              + " Sources slow down to it and share it as a congested port")
  private String receiveCeiling;

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
          "Member: an IP prefix (10.1.0.0/16), an Ethernet address, or a host and interface"
              + " (h1/vm0), with a weight of each of its endpoints within the tenant if it is not"
              + " 1 (h1/vm0=2); repeat for several, 'none' removes all",
      multiValued = true)
  private List<String> members;

  private boolean jsonAfterId;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    TenantId id = Arguments.parse("id", arguments.get(0), TenantId::of, "Use an id such as t1");
    TrailingOptions behind =
        new TrailingOptions(arguments.subList(1, arguments.size()), OPTIONS, JSON);
    jsonAfterId = JSON.stream().anyMatch(behind::has);
    Tenant tenant =
        service(TenantAdminService.class)
            .by(user.get())
            .change(id, present -> changed(id, present, behind));
    show(Listings.TENANTS, List.of(tenant));
  }

  private Tenant changed(TenantId id, Optional<Tenant> present, TrailingOptions behind)
      throws SluiceException {
    return new TenantChange(present.isPresent() ? present.get() : Tenant.builder(id).build())
        .weight(behind.last("--weight", weight))
        .rates(behind.last("--guarantee", guarantee), behind.last("--ceiling", ceiling))
        .receiveCeiling(behind.last("--receive-ceiling", receiveCeiling))
        .ecn(behind.last("--ecn", ecn))
        .members(behind.all("--member", members))
        .result();
  }

  @Override
  protected boolean outputJson() {
    return jsonAfterId || super.outputJson();
  }
}
