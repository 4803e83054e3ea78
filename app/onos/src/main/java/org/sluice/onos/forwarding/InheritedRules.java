// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onlab.packet.IpAddress;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.FlowRule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back rules of an earlier life, which ONOS does not have: once from each switch, when it is
 * there. Not thread-safe.
 */
final class InheritedRules {
  private static final Logger log = LoggerFactory.getLogger(InheritedRules.class);

  /** A switch that does not confirm so often is left alone. */
  private static final int MOST_ATTEMPTS = 3;

  private final Pipeline pipeline;
  private final RuleReconciler rules;
  private final DeviceService devices;
  private final MastershipService mastership;
  private final Map<DeviceId, Set<IpAddress>> done = new HashMap<>();
  private final Map<DeviceId, Integer> failures = new HashMap<>();

  InheritedRules(
      Pipeline pipeline,
      RuleReconciler rules,
      DeviceService devices,
      MastershipService mastership) {
    this.pipeline = pipeline;
    this.rules = rules;
    this.devices = devices;
    this.mastership = mastership;
  }

  /**
   * Takes back the rules for these addresses where that has not been done yet.
   *
   * @param alsoFrame also what every switch has, whatever is attached
   * @param mostMillis how long to wait for one switch
   * @return whether none is left: no known switch is away or has yet to confirm
   */
  boolean takeBack(Set<IpAddress> addresses, boolean alsoFrame, long mostMillis) {
    boolean isGone = true;
    for (Device device : devices.getDevices()) {
      if (!devices.isAvailable(device.id())) {
        isGone = false;
      } else if (mastership.isLocalMaster(device.id())) {
        isGone &= takeBack(device.id(), addresses, alsoFrame, mostMillis);
      }
    }
    return isGone;
  }

  private boolean takeBack(
      DeviceId device, Set<IpAddress> addresses, boolean alsoFrame, long mostMillis) {
    Set<IpAddress> doneHere = done.computeIfAbsent(device, d -> new HashSet<>());
    List<FlowRule> unknown = new ArrayList<>();
    for (IpAddress ip : addresses) {
      if (!doneHere.contains(ip)) {
        unknown.add(pipeline.route(device, ip, PortNumber.CONTROLLER));
        unknown.add(pipeline.resolve(device, ip, PortNumber.CONTROLLER));
      }
    }
    if (unknown.isEmpty()) {
      return true;
    }
    if (alsoFrame) {
      unknown.addAll(pipeline.frame(device));
    }
    if (!rules.removeUnknown(unknown, mostMillis)) {
      if (failures.merge(device, 1, Integer::sum) < MOST_ATTEMPTS) {
        return false;
      }
      log.warn(
          "Switch {} did not confirm that {} rules from before ONOS's restart are gone: check its"
              + " flow table",
          device,
          unknown.size());
    }
    failures.remove(device);
    doneHere.addAll(addresses);
    return true;
  }

  /** All addresses are served anew, or none: nothing is done. */
  void clear() {
    done.clear();
    failures.clear();
  }
}
