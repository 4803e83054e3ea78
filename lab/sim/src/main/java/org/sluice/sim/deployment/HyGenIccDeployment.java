// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.hygenicc.HyGenIccSettings;
import org.sluice.sim.shim.hygenicc.HyGenIccShim;

/** HyGenICC on a network: a shim on each host, and no controller. */
public final class HyGenIccDeployment implements ControlTraffic {
  private final Map<Host, HyGenIccShim> shims = new LinkedHashMap<>();

  private HyGenIccDeployment(Network network, HyGenIccSettings settings) {
    for (Host host : network.hosts()) {
      HyGenIccShim shim = new HyGenIccShim(network, host, settings);
      shim.install();
      shims.put(host, shim);
    }
  }

  /** Puts shims on all hosts of a network that is complete, and without traffic. */
  public static HyGenIccDeployment install(Network network, HyGenIccSettings settings) {
    return new HyGenIccDeployment(network, settings);
  }

  public HyGenIccShim shim(Host host) {
    return shims.get(host);
  }

  @Override
  public long controllerMessages() {
    return 0;
  }

  /** Feedback messages between shims; marks in the reserved bit need none. */
  @Override
  public long hostMessages() {
    return shims.values().stream().mapToLong(HyGenIccShim::messagesSent).sum();
  }
}
