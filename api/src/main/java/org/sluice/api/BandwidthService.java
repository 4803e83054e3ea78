// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.time.Instant;
import java.util.Optional;

/** Tenants that the TenantBandwidths of a Kubernetes cluster make. */
public interface BandwidthService {

  /** How many there are of them. */
  int tenants();

  /** Since when the cluster's API is away; empty: it answers, or another node follows it. */
  Optional<Instant> awaySince();
}
