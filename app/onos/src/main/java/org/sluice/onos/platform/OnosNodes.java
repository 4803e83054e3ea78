// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.onosproject.cluster.ClusterService;
import org.sluice.core.spi.ClusterNodes;

/** Nodes of ONOS's cluster. */
final class OnosNodes implements ClusterNodes {
  private final ClusterService cluster;

  OnosNodes(ClusterService cluster) {
    this.cluster = cluster;
  }

  @Override
  public String local() {
    return cluster.getLocalNode().id().toString();
  }

  @Override
  public Collection<String> all() {
    List<String> names = new ArrayList<>();
    cluster.getNodes().forEach(node -> names.add(node.id().toString()));
    return names;
  }
}
