// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.device;

import org.onosproject.net.MastershipRole;
import org.onosproject.openflow.controller.RoleState;

/** ONOS's mastership roles to OpenFlow's controller roles and back. */
final class Roles {

  private Roles() {}

  static RoleState openFlowRole(MastershipRole role) {
    switch (role) {
      case MASTER:
        return RoleState.MASTER;
      case STANDBY:
        return RoleState.EQUAL;
      default:
        return RoleState.SLAVE;
    }
  }

  static MastershipRole onosRole(RoleState role) {
    switch (role) {
      case MASTER:
        return MastershipRole.MASTER;
      case EQUAL:
        return MastershipRole.STANDBY;
      default:
        return MastershipRole.NONE;
    }
  }
}
