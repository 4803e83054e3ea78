// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.Optional;
import org.onosproject.app.ApplicationService;
import org.onosproject.app.ApplicationState;
import org.onosproject.core.ApplicationId;

/** Knows the stock application whose rules would contradict ours. */
public final class OtherForwarder {
  /** ONOS's reactive forwarding: it installs rules of its own for the same packets. */
  static final String REACTIVE_FORWARDING = "org.onosproject.fwd";

  private final ApplicationService applications;

  public OtherForwarder(ApplicationService applications) {
    this.applications = applications;
  }

  /** The application that stands in our way now. */
  public Optional<String> active() {
    ApplicationId id = applications.getId(REACTIVE_FORWARDING);
    return id != null && applications.getState(id) == ApplicationState.ACTIVE
        ? Optional.of(REACTIVE_FORWARDING)
        : Optional.empty();
  }
}
