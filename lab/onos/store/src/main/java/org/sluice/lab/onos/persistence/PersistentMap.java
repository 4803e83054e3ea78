// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.persistence;

import static java.util.Objects.requireNonNull;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.onosproject.store.service.Serializer;

/** A typed view of a stored byte map; every read decodes, so returned objects are copies. */
final class PersistentMap<K, V> extends AbstractMap<K, V> {

  private final ConcurrentMap<byte[], byte[]> bytes;
  private final Serializer serializer;

  PersistentMap(ConcurrentMap<byte[], byte[]> bytes, Serializer serializer) {
    this.bytes = bytes;
    this.serializer = serializer;
  }

  @Override
  public V put(K key, V value) {
    return decode(bytes.put(encode(key), encode(value)));
  }

  @Override
  public V get(Object key) {
    return decode(bytes.get(encode(key)));
  }

  @Override
  public boolean containsKey(Object key) {
    return bytes.containsKey(encode(key));
  }

  @Override
  public V remove(Object key) {
    return decode(bytes.remove(encode(key)));
  }

  @Override
  public void clear() {
    bytes.clear();
  }

  @Override
  public int size() {
    return bytes.size();
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new Entries();
  }

  private byte[] encode(Object object) {
    return serializer.encode(requireNonNull(object, "null is not stored"));
  }

  private <T> T decode(byte[] encoded) {
    return encoded == null ? null : serializer.decode(encoded);
  }

  private final class Entries extends AbstractSet<Map.Entry<K, V>> {

    @Override
    public int size() {
      return bytes.size();
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
      Iterator<Map.Entry<byte[], byte[]>> stored = bytes.entrySet().iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return stored.hasNext();
        }

        @Override
        public Map.Entry<K, V> next() {
          Map.Entry<byte[], byte[]> entry = stored.next();
          K key = decode(entry.getKey());
          V value = decode(entry.getValue());
          return new SimpleImmutableEntry<>(key, value);
        }

        @Override
        public void remove() {
          stored.remove();
        }
      };
    }
  }
}
