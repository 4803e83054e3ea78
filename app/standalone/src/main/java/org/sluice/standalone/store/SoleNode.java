// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;

/** A node on its own: it leads each topic that it runs for, at once. Thread-safe. */
public final class SoleNode implements ClusterNodes, Leadership {
  private final String name;
  private final AtomicLong lastTerm = new AtomicLong(System.currentTimeMillis());
  private final Map<String, Long> terms = new ConcurrentHashMap<>();
  private final Epoch epoch = new Epoch();

  public SoleNode(String name) {
    this.name = name;
  }

  @Override
  public String local() {
    return name;
  }

  @Override
  public Collection<String> all() {
    return List.of(name);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void run(String topic) {
    if (terms.putIfAbsent(topic, lastTerm.incrementAndGet()) == null) {
      epoch.advance();
    }
  }

  @Override
  public void withdraw(String topic) {
    if (terms.remove(topic) != null) {
      epoch.advance();
    }
  }

  @Override
  public OptionalLong localTerm(String topic) {
    Long term = terms.get(topic);
    return term == null ? OptionalLong.empty() : OptionalLong.of(term);
  }
}
