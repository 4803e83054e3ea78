// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.Set;
import org.onlab.packet.IpAddress;

/** Addresses whose rules may stand from an earlier life of ONOS, and that nobody has seen since. */
public interface InheritedRoutes {

  /** Those that are not given up yet. */
  Set<IpAddress> inherited();
}
