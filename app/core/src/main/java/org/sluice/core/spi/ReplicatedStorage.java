// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

/** Maps that all nodes of the cluster share, strongly consistent and durable. */
public interface ReplicatedStorage {

  /**
   * Opens a map; made empty if there is none.
   *
   * @param name unique in the cluster, such as "sluice-tenants"
   */
  ReplicatedMap map(String name);
}
