// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.Epoch;
import org.sluice.onos.topology.OnosTypes;

/** The attachment map in the core's words. */
final class OnosAttachments implements Attachments {
  private final org.sluice.onos.topology.Attachments attachments;

  OnosAttachments(org.sluice.onos.topology.Attachments attachments) {
    this.attachments = attachments;
  }

  @Override
  public Epoch epoch() {
    return attachments.epoch();
  }

  @Override
  public Optional<PortId> locate(IpAddress ip) {
    return attachments.locate(OnosTypes.ip(ip)).map(OnosTypes::port);
  }

  @Override
  public void learn(IpAddress ip, PortId port) {
    attachments.learn(OnosTypes.ip(ip), OnosTypes.port(port));
  }

  @Override
  public void forget(IpAddress ip) {
    attachments.forget(OnosTypes.ip(ip));
  }
}
