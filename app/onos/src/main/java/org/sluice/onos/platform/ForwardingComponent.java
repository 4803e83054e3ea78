// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.function.LongSupplier;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.forwarding.ForwardingPlane;

/** Runs forwarding on ONOS, whether the rest of the controller can start or not. */
@Component(immediate = true, service = ForwardingComponent.class)
public class ForwardingComponent {
  @Reference OnosServices onos;

  private final Execution execution;
  private final LongSupplier packetNanos;
  private OnosForwardingPlatform platform;
  private ForwardingPlane plane;

  public ForwardingComponent() {
    this(new SystemExecution(), System::nanoTime);
  }

  /** With other clocks, for tests: see {@link ForwardingPlane}. */
  public ForwardingComponent(Execution execution, LongSupplier packetNanos) {
    this.execution = execution;
    this.packetNanos = packetNanos;
  }

  @Activate
  void activate() {
    platform = new OnosForwardingPlatform(onos, execution);
    plane =
        new ForwardingPlane(
            platform,
            onos.application.settings(),
            onos.application.journal(),
            execution,
            packetNanos);
    platform.start();
    plane.start();
  }

  @Deactivate
  void deactivate() {
    plane.stop();
    platform.stop();
  }

  OnosForwardingPlatform platform() {
    return platform;
  }

  public ForwardingPlane plane() {
    return plane;
  }
}
