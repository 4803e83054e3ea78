// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.tbd.params.xml.ns.yang.network.topology.rev131021.NetworkTopology;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.testing.ReplicatedMapConformance;
import org.sluice.odl.DataBrokers;
import org.sluice.odl.line.Mdsal;

class OdlMapTest extends ReplicatedMapConformance {
  private final Mdsal mdsal = DataBrokers.mdsal();
  private final OdlStorage storage = new OdlStorage(mdsal, LogicalDatastoreType.CONFIGURATION);

  @Override
  protected ReplicatedStorage storage() {
    return storage;
  }

  @Test
  void removedMapsUseNoVersionAgain() {
    ReplicatedMap map = storage.map("tenants");
    map.put("a", "1");
    map.put("a", "2");
    long last = map.get("a").orElseThrow().version();
    ReplicatedMap emptied = storage.map("emptied");
    emptied.put("a", "1");
    emptied.clear();
    storage.map("policies").put("a", "1");
    storage.remove(Set.of("sluice-tenants"));

    assertThat(topologies()).containsExactly("sluice-policies");
    assertThat(map.entries()).isEmpty();
    map.put("a", "3");
    assertThat(map.get("a").orElseThrow().version()).isGreaterThan(last);
  }

  private Set<String> topologies() {
    try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
      return Futures.getUnchecked(
              transaction.read(
                  LogicalDatastoreType.CONFIGURATION,
                  InstanceIdentifier.create(NetworkTopology.class)))
          .orElseThrow()
          .nonnullTopology()
          .values()
          .stream()
          .map(each -> each.getTopologyId().getValue())
          .collect(Collectors.toSet());
    }
  }
}
