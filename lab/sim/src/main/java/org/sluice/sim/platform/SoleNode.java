// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;

/** The roles of a cluster's only node: it is the master of all switches, and leads every topic. */
final class SoleNode implements ClusterNodes {
  /** The node's name in its cluster. */
  static final String NAME = "controller";

  private final Epoch epoch = new Epoch();
  private final Map<String, Long> terms = new HashMap<>();
  private long starts;
  private long lastTerm;

  /** It starts, perhaps again: what it takes over now is a new takeover. */
  void start() {
    starts++;
    terms.clear();
    epoch.advance();
  }

  @Override
  public String local() {
    return NAME;
  }

  @Override
  public Collection<String> all() {
    return List.of(NAME);
  }

  Mastership mastership() {
    return new Mastership() {
      @Override
      public Epoch epoch() {
        return epoch;
      }

      @Override
      public boolean isLocal(String datapath) {
        return true;
      }

      @Override
      public Optional<String> masterOf(String datapath) {
        return Optional.of(NAME);
      }

      @Override
      public long takeover(String datapath) {
        return starts;
      }
    };
  }

  Leadership leadership() {
    return new Leadership() {
      @Override
      public Epoch epoch() {
        return epoch;
      }

      @Override
      public void run(String topic) {
        if (terms.putIfAbsent(topic, lastTerm + 1) == null) {
          lastTerm++;
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
    };
  }
}
