// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.configuration;

import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Inventory;
import org.sluice.core.spi.OperatorConfiguration;

/** The document that holds now. Thread-safe; one thread at a time writes. */
public class WrittenConfiguration implements OperatorConfiguration {
  private final Epoch epoch = new Epoch();
  private final Epoch tenantsEpoch = new Epoch();
  private volatile OperatorDocument document = OperatorDocument.EMPTY;

  /** What stands there as the node begins. */
  public final void begin(OperatorDocument now) {
    OperatorDocument before = document;
    document = now;
    if (!now.capacitiesBitsPerSecond().equals(before.capacitiesBitsPerSecond())
        || !now.inventory().equals(before.inventory())) {
      epoch.advance();
    }
  }

  /** An operator has written. */
  public final void write(OperatorDocument now) {
    begin(now);
    tenantsEpoch.advance();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    return document.capacitiesBitsPerSecond();
  }

  @Override
  public Inventory inventory() {
    return document.inventory();
  }

  @Override
  public Epoch tenantsEpoch() {
    return tenantsEpoch;
  }

  @Override
  public List<Tenant> tenants() {
    return document.tenants();
  }
}
