// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Optional;
import org.onosproject.app.ApplicationService;
import org.onosproject.app.ApplicationState;
import org.onosproject.core.ApplicationId;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.OtherForwarder;

/** Knows the stock application whose rules would contradict ours. */
final class OnosOtherForwarder implements OtherForwarder {
  /** ONOS's reactive forwarding: it installs rules of its own for the same packets. */
  static final String REACTIVE_FORWARDING = "org.onosproject.fwd";

  private final ApplicationService applications;
  private final Epoch epoch = new Epoch();

  OnosOtherForwarder(ApplicationService applications) {
    this.applications = applications;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Optional<String> active() {
    ApplicationId id = applications.getId(REACTIVE_FORWARDING);
    return id != null && applications.getState(id) == ApplicationState.ACTIVE
        ? Optional.of(REACTIVE_FORWARDING)
        : Optional.empty();
  }

  @Override
  public String remedy(String name) {
    return "app deactivate " + name;
  }
}
