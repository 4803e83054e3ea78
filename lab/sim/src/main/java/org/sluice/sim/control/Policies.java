// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.Arrays;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.shim.host.Addresses;

/** What each endpoint is due: weight 1, no guarantee and no ceiling unless they are set. */
final class Policies {
  private final Addresses addresses;
  private final double[] weights;
  private final long[] guarantees;
  private final long[] ceilings;

  Policies(Addresses addresses, int endpoints) {
    this.addresses = addresses;
    this.weights = new double[endpoints];
    this.guarantees = new long[endpoints];
    this.ceilings = new long[endpoints];
    Arrays.fill(weights, 1);
  }

  void setWeight(Endpoint endpoint, double weight) {
    weights[endpoint.number()] = weight;
  }

  void setGuarantee(Endpoint endpoint, long bitsPerSecond) {
    guarantees[endpoint.number()] = bitsPerSecond;
  }

  void setCeiling(Endpoint endpoint, long bitsPerSecond) {
    ceilings[endpoint.number()] = bitsPerSecond;
  }

  EndpointPolicy of(Endpoint endpoint, boolean preserveEcn) {
    int number = endpoint.number();
    return EndpointPolicy.of(
        addresses.id(number),
        TenantId.DEFAULT,
        weights[number],
        guarantees[number],
        ceilings[number],
        preserveEcn);
  }
}
