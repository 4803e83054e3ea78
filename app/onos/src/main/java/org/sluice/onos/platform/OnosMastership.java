// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Optional;
import org.onosproject.cluster.NodeId;
import org.onosproject.mastership.MastershipInfo;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.DeviceId;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Mastership;

/** Mastership as ONOS's cluster has it. */
final class OnosMastership implements Mastership {
  private final MastershipService mastership;
  private final Epoch epoch = new Epoch();

  OnosMastership(MastershipService mastership) {
    this.mastership = mastership;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public boolean isLocal(String datapath) {
    return mastership.isLocalMaster(DeviceId.deviceId(datapath));
  }

  @Override
  public Optional<String> masterOf(String datapath) {
    return Optional.ofNullable(mastership.getMasterFor(DeviceId.deviceId(datapath)))
        .map(NodeId::id);
  }

  @Override
  public long takeover(String datapath) {
    return Optional.ofNullable(mastership.getMastershipFor(DeviceId.deviceId(datapath)))
        .map(MastershipInfo::term)
        .orElse(0L);
  }
}
