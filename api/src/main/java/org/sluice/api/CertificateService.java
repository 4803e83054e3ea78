// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.time.Instant;
import java.util.Optional;

/** Until when what this controller node shows and trusts on the agent link is valid. */
public interface CertificateService {

  /** When the node's own certificate ends; empty: the link is off. */
  Optional<Instant> certificateNotAfter();

  /** When the last authority for hosts ends, after which no host can connect. */
  Optional<Instant> authorityNotAfter();
}
