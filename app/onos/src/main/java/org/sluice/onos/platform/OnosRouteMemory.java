// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Set;
import org.onosproject.persistence.PersistenceService;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.Serializer;
import org.sluice.api.IpAddress;

/** Addresses in ONOS's persistent store, in ONOS's form. */
final class OnosRouteMemory extends AbstractSet<IpAddress> {
  private static final String STORE = "sluice-routes";

  private final Set<org.onlab.packet.IpAddress> kept;

  OnosRouteMemory(PersistenceService persistence) {
    kept =
        persistence
            .<org.onlab.packet.IpAddress>persistentSetBuilder()
            .withName(STORE)
            .withSerializer(Serializer.using(KryoNamespaces.API))
            .build();
  }

  @Override
  public boolean add(IpAddress ip) {
    return kept.add(OnosTypes.ip(ip));
  }

  @Override
  public boolean remove(Object ip) {
    return ip instanceof IpAddress && kept.remove(OnosTypes.ip((IpAddress) ip));
  }

  @Override
  public void clear() {
    kept.clear();
  }

  @Override
  public int size() {
    return kept.size();
  }

  /** Of what is there now; it removes nothing. */
  @Override
  public Iterator<IpAddress> iterator() {
    return kept.stream().map(OnosTypes::ip).iterator();
  }
}
