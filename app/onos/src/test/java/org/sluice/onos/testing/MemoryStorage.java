// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.onosproject.store.service.AsyncConsistentMap;
import org.onosproject.store.service.ConsistentMap;
import org.onosproject.store.service.ConsistentMapBuilder;
import org.onosproject.store.service.EventuallyConsistentMapBuilder;
import org.onosproject.store.service.StorageServiceAdapter;
import org.onosproject.store.service.TestConsistentMap;
import org.onosproject.store.service.TestEventuallyConsistentMap;

/** A cluster's store that outlives the components: consistent maps of one name are one map. */
public final class MemoryStorage extends StorageServiceAdapter {
  private final Map<String, ConsistentMap<?, ?>> maps = new HashMap<>();
  private volatile Runnable afterReplacement = () -> {};

  /** Has something happen once, at the moment at which somebody has replaced an entry. */
  public void afterNextReplacement(Runnable event) {
    afterReplacement = event;
  }

  @Override
  public <K, V> ConsistentMapBuilder<K, V> consistentMapBuilder() {
    return new ConsistentMapBuilder<K, V>() {
      @Override
      @SuppressWarnings("unchecked")
      public ConsistentMap<K, V> build() {
        return (ConsistentMap<K, V>)
            maps.computeIfAbsent(
                name(),
                name -> {
                  ConsistentMapBuilder<K, V> builder = TestConsistentMap.builder();
                  builder.withName(name);
                  builder.withSerializer(serializer());
                  return atomic(builder.build());
                });
      }

      @Override
      public AsyncConsistentMap<K, V> buildAsyncMap() {
        throw new UnsupportedOperationException();
      }
    };
  }

  /** ONOS's map for tests reads and then writes: two threads may both win a replace. */
  private ConsistentMap<?, ?> atomic(ConsistentMap<?, ?> map) {
    InvocationHandler oneByOne =
        (proxy, method, arguments) -> {
          synchronized (map) {
            try {
              Object result = method.invoke(map, arguments);
              if (method.getName().equals("replace") && Boolean.TRUE.equals(result)) {
                Runnable event = afterReplacement;
                afterReplacement = () -> {};
                event.run();
              }
              return result;
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
          }
        };
    return (ConsistentMap<?, ?>)
        Proxy.newProxyInstance(
            ConsistentMap.class.getClassLoader(), new Class<?>[] {ConsistentMap.class}, oneByOne);
  }

  @Override
  public <K, V> EventuallyConsistentMapBuilder<K, V> eventuallyConsistentMapBuilder() {
    return TestEventuallyConsistentMap.builder();
  }
}
