// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import org.sluice.core.runtime.SystemExecution;
import org.sluice.forwarding.spi.ForwardingPlatform;

/** What forwarding stands on, without forwarding. */
public final class PlatformAlone {
  private PlatformAlone() {}

  public static ForwardingPlatform start(OnosServices onos) {
    OnosForwardingPlatform platform = new OnosForwardingPlatform(onos, new SystemExecution());
    platform.start();
    return platform;
  }
}
