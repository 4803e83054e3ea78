// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.Set;
import java.util.function.BiPredicate;
import org.onosproject.net.ConnectPoint;
import org.sluice.api.EndpointId;
import org.sluice.core.spi.Epoch;

/**
 * Ports that are edge ports for certain: an endpoint that an agent reports has answered there to a
 * question of ours, and such answers are not forwarded. What discovers links can be deceived: a VM
 * that passes on the probes of link discovery makes its port look like one to another switch.
 */
public interface EdgeProofs {

  /** Advances whenever a port was proven, or is proven no longer. */
  Epoch epoch();

  /** The endpoint answered there, and so is not behind any other port. */
  void prove(ConnectPoint port, EndpointId endpoint);

  boolean isProven(ConnectPoint port, EndpointId endpoint);

  /** Keeps what holds on; port by endpoint. */
  void retain(BiPredicate<ConnectPoint, EndpointId> still);

  /** All proven ports. */
  Set<ConnectPoint> ports();
}
