// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.TenantService;

/** Lists tenants. */
@Service
@Command(
    scope = "onos",
    name = "sluice-tenants",
    description = "Lists tenants with weight, guarantee, ceiling and members")
public final class TenantsCommand extends SluiceCommand {

  @Override
  void run() throws JsonProcessingException {
    show(Listings.TENANTS, service(TenantService.class).tenants());
  }
}
