// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import org.onlab.packet.VlanId;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;

/** VLAN numbers with ONOS's two special ones: no tag at all, and any tag. */
final class Vlans {

  private Vlans() {}

  static OFVlanVidMatch value(VlanId vlan) {
    if (vlan.equals(VlanId.NONE)) {
      return OFVlanVidMatch.UNTAGGED;
    }
    return vlan.equals(VlanId.ANY) ? OFVlanVidMatch.PRESENT : OFVlanVidMatch.ofVlan(vlan.toShort());
  }

  /** Null where the number is matched exactly. */
  static OFVlanVidMatch mask(VlanId vlan) {
    return vlan.equals(VlanId.ANY) ? OFVlanVidMatch.PRESENT : null;
  }

  static VlanId vlan(OFVlanVidMatch value, OFVlanVidMatch mask) {
    if (mask != null) {
      return VlanId.ANY;
    }
    return value.equals(OFVlanVidMatch.UNTAGGED) ? VlanId.NONE : VlanId.vlanId(value.getVlan());
  }
}
