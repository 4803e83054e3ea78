// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.poll;

import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowSwitchListener;
import org.onosproject.openflow.controller.RoleState;
import org.projectfloodlight.openflow.protocol.OFPortStatus;

/** Starts a poller for every switch that connects and stops it when the switch goes. */
public class SwitchWatcher implements OpenFlowSwitchListener {

  private final SwitchPoller poller;

  public SwitchWatcher(SwitchPoller poller) {
    this.poller = poller;
  }

  @Override
  public void switchAdded(Dpid dpid) {
    poller.start(dpid);
  }

  @Override
  public void switchRemoved(Dpid dpid) {
    poller.stop(dpid);
  }

  @Override
  public void switchChanged(Dpid dpid) {}

  @Override
  public void portChanged(Dpid dpid, OFPortStatus status) {}

  @Override
  public void receivedRoleReply(Dpid dpid, RoleState requested, RoleState response) {}
}
