// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import java.util.Set;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry.FlowRuleOperation;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;
import org.sluice.lab.onos.openflow.translate.Matches;
import org.sluice.lab.onos.openflow.translate.Treatments;
import org.sluice.lab.onos.openflow.translate.Unsupported;

/** Writes flow rules as OpenFlow 1.3 flow modifications; the cookie carries the rule's id. */
final class FlowMods {

  private FlowMods() {}

  /**
   * Translates one operation on a rule.
   *
   * @throws Unsupported when the rule holds something that cannot be written
   */
  static OFFlowMod flowMod(
      OFFactory factory, FlowRuleOperation operation, FlowRule rule, long xid) {
    OFFlowMod.Builder mod = builder(factory, operation);
    if (operation != FlowRuleOperation.REMOVE) {
      mod.setInstructions(Treatments.instructions(factory, rule.treatment()))
          .setIdleTimeout(rule.isPermanent() ? 0 : rule.timeout())
          .setHardTimeout(rule.hardTimeout());
    }
    return mod.setXid(xid)
        .setCookie(U64.of(rule.id().value()))
        .setMatch(Matches.match(factory, rule.selector()))
        .setPriority(rule.priority())
        .setTableId(TableId.of(rule.tableId()))
        .setBufferId(OFBufferId.NO_BUFFER)
        .setOutPort(OFPort.ANY)
        .setOutGroup(OFGroup.ANY)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  private static OFFlowMod.Builder builder(OFFactory factory, FlowRuleOperation operation) {
    switch (operation) {
      case ADD:
        return factory.buildFlowAdd();
      case MODIFY:
        return factory.buildFlowModify();
      default:
        return factory.buildFlowDeleteStrict();
    }
  }
}
