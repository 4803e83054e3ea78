// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.OptionalLong;
import org.onosproject.cluster.ClusterService;
import org.onosproject.cluster.LeadershipService;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;

/** Leadership as ONOS's cluster elects it. */
final class OnosLeadership implements Leadership {
  private final LeadershipService leadership;
  private final ClusterService cluster;
  private final Epoch epoch = new Epoch();

  OnosLeadership(LeadershipService leadership, ClusterService cluster) {
    this.leadership = leadership;
    this.cluster = cluster;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void run(String topic) {
    leadership.runForLeadership(topic);
  }

  @Override
  public void withdraw(String topic) {
    leadership.withdraw(topic);
  }

  @Override
  public OptionalLong localTerm(String topic) {
    org.onosproject.cluster.Leadership leads = leadership.getLeadership(topic);
    return leads != null && cluster.getLocalNode().id().equals(leads.leaderNodeId())
        ? OptionalLong.of(leads.leader().term())
        : OptionalLong.empty();
  }
}
