// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;

/** The roles of a cluster's only node: it is the master of all switches, and leads every topic. */
final class SoleNode implements ClusterNodes {
  /** The node's name in its cluster. */
  static final String NAME = "controller";

  private final Epoch epoch = new Epoch();
  private final Set<String> topics = new HashSet<>();
  private long starts;

  /** It starts, perhaps again: what it takes over now is a new takeover. */
  void start() {
    starts++;
    topics.clear();
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
        if (topics.add(topic)) {
          epoch.advance();
        }
      }

      @Override
      public void withdraw(String topic) {
        if (topics.remove(topic)) {
          epoch.advance();
        }
      }

      @Override
      public OptionalLong localTerm(String topic) {
        return topics.contains(topic) ? OptionalLong.of(starts) : OptionalLong.empty();
      }
    };
  }
}
