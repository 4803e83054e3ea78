// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.cluster;

/** Shows the controllers' cluster. */
public interface ClusterService {

  /** How the cluster is now, as this node sees it. Queries nobody, and returns at once. */
  ClusterStatus status();

  /**
   * Why the cluster's store does not answer this node; empty: it does. Until it does again all that
   * this node shows of the cluster is as it was, and others may have changed it.
   */
  String storeFault();
}
