// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import java.util.Set;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.NetworkTopology;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.network.topology.Topology;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.odl.line.Mdsal;

/** Maps in a datastore of the cluster. */
public final class OdlStorage implements ReplicatedStorage {
  private static final InstanceIdentifier<NetworkTopology> ALL =
      InstanceIdentifier.create(NetworkTopology.class);

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

  /** Removes maps of these names, and all without entries. */
  public void remove(Set<String> names) {
    ReadWriteTransaction transaction = mdsal.broker().newReadWriteTransaction();
    OdlMap.answer(transaction.read(datastore, ALL))
        .ifPresent(
            all ->
                all.nonnullTopology().values().stream()
                    .filter(map -> map.getTopologyId().getValue().startsWith(OdlMap.PREFIX))
                    .filter(
                        map ->
                            OdlMap.isEmpty(map) || names.contains(map.getTopologyId().getValue()))
                    .forEach(
                        map ->
                            transaction.delete(datastore, ALL.child(Topology.class, map.key()))));
    OdlMap.answer(transaction.commit());
  }
}
