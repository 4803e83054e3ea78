// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.platform;

import java.util.Optional;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.ReplicatedStorage;

/**
 * What the nodes of a cluster have in common.
 *
 * @param close ends it, after the controller
 */
public record Cluster(
    ClusterNodes nodes, ReplicatedStorage storage, Leadership leadership, Runnable close) {

  /** Nobody is connected to switches: who leads the cluster decides about their ports, too. */
  Mastership mastership() {
    return new Mastership() {
      @Override
      public Epoch epoch() {
        return leadership.epoch();
      }

      @Override
      public boolean isLocal(String datapath) {
        return leadership.isLocal(Topics.CLUSTER);
      }

      /** Of two nodes it is the other one; of more it is not known here which. */
      @Override
      public Optional<String> masterOf(String datapath) {
        if (isLocal(datapath) || nodes.all().size() < 2) {
          return Optional.of(nodes.local());
        }
        return leadership.isVacant(Topics.CLUSTER)
            ? Optional.empty()
            : nodes.all().stream().filter(node -> !node.equals(nodes.local())).findFirst();
      }

      @Override
      public long takeover(String datapath) {
        return leadership.localTerm(Topics.CLUSTER).orElse(0);
      }
    };
  }
}
