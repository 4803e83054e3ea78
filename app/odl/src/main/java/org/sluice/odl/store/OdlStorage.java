// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.odl.line.Mdsal;

/** Maps in a datastore of the cluster. */
public final class OdlStorage implements ReplicatedStorage {
  private final Mdsal mdsal;
  private final LogicalDatastoreType datastore;

  /**
   * Maps of one datastore.
   *
   * @param datastore CONFIGURATION outlives the cluster's end, OPERATIONAL does not
   */
  public OdlStorage(Mdsal mdsal, LogicalDatastoreType datastore) {
    this.mdsal = mdsal;
    this.datastore = datastore;
  }

  @Override
  public ReplicatedMap map(String name) {
    return new OdlMap(mdsal, datastore, name);
  }
}
