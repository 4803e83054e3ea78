// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Collection;

/** The nodes of the cluster, by name. */
public interface ClusterNodes {

  String local();

  /** All that belong to it, this one among them, whether they run or not. */
  Collection<String> all();
}
