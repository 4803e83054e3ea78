// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.cluster;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Optional;

/** The controllers' cluster, as one of its nodes sees it. */
@AutoValue
public abstract class ClusterStatus {

  public static ClusterStatus of(List<NodeStatus> nodes, String storeFault) {
    return new AutoValue_ClusterStatus(List.copyOf(nodes), storeFault);
  }

  /** All that belong to it, whether they run or not, by name. */
  public abstract List<NodeStatus> nodes();

  /** See {@link ClusterService#storeFault}. */
  public abstract String storeFault();

  public final boolean isCutOff() {
    return !storeFault().isEmpty();
  }

  /** The node that leads, as far as is known. */
  public final Optional<String> leader() {
    return nodes().stream().filter(NodeStatus::leads).map(NodeStatus::name).findFirst();
  }
}
