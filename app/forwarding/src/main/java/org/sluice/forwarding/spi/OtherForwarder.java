// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Optional;
import org.sluice.core.spi.Epoch;

/** An application of the platform that forwards the same packets by rules of its own. */
public interface OtherForwarder {

  /** Advances whenever one may have been started or stopped. */
  Epoch epoch();

  /** The name of the one that is active now. */
  Optional<String> active();

  /** How an operator stops one. */
  String remedy(String name);
}
