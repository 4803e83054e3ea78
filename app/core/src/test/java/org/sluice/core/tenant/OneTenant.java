// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.Epoch;

/** Every endpoint is of one tenant. */
public final class OneTenant implements TenantDirectory {
  private final TenantId id;
  private final Epoch epoch = new Epoch();
  private volatile double weight = 1;
  private volatile long ceilingBitsPerSecond;

  public OneTenant(String name) {
    id = TenantId.of(name);
  }

  /** The tenant gets another weight. */
  public void setWeight(double now) {
    weight = now;
    epoch.advance();
  }

  /** The tenant gets another ceiling; 0 is none. */
  public void setCeiling(long bitsPerSecond) {
    ceilingBitsPerSecond = bitsPerSecond;
    epoch.advance();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Tenant tenantOf(ReportedEndpoint endpoint) {
    try {
      return Tenant.builder(id).weight(weight).ceilingBitsPerSecond(ceilingBitsPerSecond).build();
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }
}
