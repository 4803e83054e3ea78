// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Tenant;
import org.sluice.api.TenantService;
import org.sluice.api.access.Caller;

/** Completes tenants that the user sees. */
@Service
public final class TenantIdCompleter extends KnownCompleter<TenantService> {
  public TenantIdCompleter() {
    super(TenantService.class);
  }

  @Override
  Stream<?> known(TenantService tenants, Caller caller) {
    return tenants.tenants().stream().map(Tenant::id).filter(caller::sees);
  }
}
