// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.persistence;

import java.util.concurrent.ConcurrentMap;
import org.mapdb.DB;
import org.mapdb.Hasher;
import org.mapdb.Serializer;

/** Opens the named byte maps of a database; MapDB compares their keys by content. */
final class ByteMaps {

  private ByteMaps() {}

  static ConcurrentMap<byte[], byte[]> open(DB database, String name) {
    return database
        .createHashMap(name)
        .keySerializer(Serializer.BYTE_ARRAY)
        .valueSerializer(Serializer.BYTE_ARRAY)
        .hasher(Hasher.BYTE_ARRAY)
        .makeOrGet();
  }
}
