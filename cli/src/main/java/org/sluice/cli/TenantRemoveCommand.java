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

/** Removes a tenant. */
@Service
@Needs(Permission.CHANGE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-tenant-remove",
    description =
        "Removes a tenant and shows it; the next matching membership decides its endpoints' tenant")
public final class TenantRemoveCommand extends SluiceCommand {
  @Argument(name = "id", description = "Tenant, such as t1", required = true, multiValued = true)
  @Completion(TenantIdCompleter.class)
  private List<String> arguments;

  @Option(
      name = TenantSetCommand.ALLOW_REFUSED_ADDRESSES,
      description = TenantSetCommand.ALLOWS_REFUSED_ADDRESSES)
  private boolean allowsRefusedAddresses;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    String id = arguments.get(0);
    TrailingOptions behind =
        behind(
            arguments.subList(1, arguments.size()),
            Map.of(),
            List.of(TenantSetCommand.ALLOW_REFUSED_ADDRESSES));
    TenantId tenantId =
        Arguments.parse("id", id, TenantId::of, "Use an id as sluice-tenants lists it");
    TenantAdminService tenants = service(TenantAdminService.class).by(user.get());
    if (allowsRefusedAddresses || behind.has(TenantSetCommand.ALLOW_REFUSED_ADDRESSES)) {
      tenants = tenants.allowingRefusedAddresses();
    }
    Optional<Tenant> former = tenants.tenant(tenantId);
    tenants.remove(tenantId);
    show(Listings.TENANTS, former.map(List::of).orElse(List.of()));
  }
}
