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
    scope = ShellPlatform.SCOPE,
    name = "sluice-tenant-set",
    description = "Creates a tenant, or changes those of its properties that are given")
public final class TenantSetCommand extends SluiceCommand {
  static final String ALLOW_REFUSED_ADDRESSES = "--allow-refused-addresses";
  static final String ALLOWS_REFUSED_ADDRESSES =
      "Lets endpoints lose addresses by it that lie in another tenant's prefix";
  static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("-w", "--weight"),
          Map.entry("-g", "--guarantee"),
          Map.entry("-c", "--ceiling"),
          Map.entry("-r", "--receive-ceiling"),
          Map.entry("-e", "--ecn"),
          Map.entry("-m", TenantChange.MEMBER),
          Map.entry("-a", TenantChange.ADD_MEMBER),
          Map.entry("-d", TenantChange.REMOVE_MEMBER));

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
      aliases = TenantChange.MEMBER,
      description =
          "Member: an IP prefix (10.1.0.0/16), an Ethernet address, a host and interface (h1/vm0),"
              + " or what hosts know of interfaces (domain:web1, namespace:shop+label:app:web,"
              + " network:blue, vlan:100, bridge:br0), with a weight of each of its endpoints within the tenant if it is not"
              + " 1 (h1/vm0=2); repeat for several, 'none' removes all. Those that it has are"
              + " replaced",
      multiValued = true)
  private List<String> members;

  @Option(
      name = "-a",
      aliases = TenantChange.ADD_MEMBER,
      description = "Member to add, or to give another weight; repeat for several",
      multiValued = true)
  private List<String> added;

  @Option(
      name = "-d",
      aliases = TenantChange.REMOVE_MEMBER,
      description = "Member to remove; repeat for several",
      multiValued = true)
  private List<String> removed;

  @Option(name = ALLOW_REFUSED_ADDRESSES, description = ALLOWS_REFUSED_ADDRESSES)
  private boolean allowsRefusedAddresses;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    TenantId id = Arguments.parse("id", arguments.get(0), TenantId::of, "Use an id such as t1");
    TrailingOptions behind =
        behind(arguments.subList(1, arguments.size()), OPTIONS, List.of(ALLOW_REFUSED_ADDRESSES));
    TenantAdminService tenants = service(TenantAdminService.class).by(user.get());
    if (allowsRefusedAddresses || behind.has(ALLOW_REFUSED_ADDRESSES)) {
      tenants = tenants.allowingRefusedAddresses();
    }
    Tenant tenant = tenants.change(id, present -> changed(id, present, behind));
    show(Listings.TENANTS, List.of(tenant));
  }

  private Tenant changed(TenantId id, Optional<Tenant> present, TrailingOptions behind)
      throws SluiceException {
    return new TenantChange(present.isPresent() ? present.get() : Tenant.builder(id).build())
        .weight(behind.last("--weight", weight))
        .rates(behind.last("--guarantee", guarantee), behind.last("--ceiling", ceiling))
        .receiveCeiling(behind.last("--receive-ceiling", receiveCeiling))
        .ecn(behind.last("--ecn", ecn))
        .members(
            behind.all(TenantChange.MEMBER, members),
            behind.all(TenantChange.ADD_MEMBER, added),
            behind.all(TenantChange.REMOVE_MEMBER, removed))
        .result();
  }
}
