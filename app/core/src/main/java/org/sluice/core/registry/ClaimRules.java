// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ReportedEndpoint;

/** What there is against a claim of an address. */
@FunctionalInterface
public interface ClaimRules {
  /** Everybody may claim everything. */
  ClaimRules NONE = (endpoint, ip) -> Optional.empty();

  /** Why an endpoint may not have an address; empty: it may. */
  Optional<String> objection(ReportedEndpoint endpoint, IpAddress ip);

  /** Whether it is written down whose an address is, whatever was decided before. */
  default boolean assigns(IpAddress ip) {
    return false;
  }
}
