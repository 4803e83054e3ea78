// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import java.util.ArrayList;
import java.util.List;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.flow.instructions.Instructions.MeterInstruction;
import org.onosproject.net.meter.MeterId;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionGotoTable;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionMeter;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteMetadata;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** Traffic treatments to OpenFlow 1.3 instructions and back. */
public final class Treatments {

  private Treatments() {}

  /**
   * Translates a treatment.
   *
   * @throws Unsupported when it has an instruction without an OpenFlow action
   */
  public static List<OFInstruction> instructions(OFFactory factory, TrafficTreatment treatment) {
    List<OFInstruction> instructions = new ArrayList<>();
    List<OFAction> immediate = Actions.actions(factory, treatment.immediate());
    if (!immediate.isEmpty()) {
      instructions.add(factory.instructions().applyActions(immediate));
    }
    if (treatment.clearedDeferred()) {
      instructions.add(factory.instructions().clearActions());
    }
    List<OFAction> deferred = Actions.actions(factory, treatment.deferred());
    if (!deferred.isEmpty()) {
      instructions.add(factory.instructions().writeActions(deferred));
    }
    if (treatment.tableTransition() != null) {
      TableId next = TableId.of(treatment.tableTransition().tableId());
      instructions.add(factory.instructions().gotoTable(next));
    }
    if (treatment.writeMetadata() != null) {
      instructions.add(
          factory
              .instructions()
              .writeMetadata(
                  U64.of(treatment.writeMetadata().metadata()),
                  U64.of(treatment.writeMetadata().metadataMask())));
    }
    for (MeterInstruction meter : treatment.meters()) {
      instructions.add(factory.instructions().meter(meter.meterId().id()));
    }
    return instructions;
  }

  /** Translates what a switch reports. */
  public static TrafficTreatment treatment(List<OFInstruction> instructions) {
    TrafficTreatment.Builder treatment = DefaultTrafficTreatment.builder();
    instructions.forEach(each -> add(treatment, each));
    return treatment.build();
  }

  private static void add(TrafficTreatment.Builder treatment, OFInstruction instruction) {
    switch (instruction.getType()) {
      case APPLY_ACTIONS:
        Actions.addTo(
            treatment.immediate(), ((OFInstructionApplyActions) instruction).getActions());
        break;
      case WRITE_ACTIONS:
        Actions.addTo(treatment.deferred(), ((OFInstructionWriteActions) instruction).getActions());
        break;
      case CLEAR_ACTIONS:
        treatment.wipeDeferred();
        break;
      case GOTO_TABLE:
        TableId next = ((OFInstructionGotoTable) instruction).getTableId();
        treatment.transition((int) next.getValue());
        break;
      case WRITE_METADATA:
        OFInstructionWriteMetadata metadata = (OFInstructionWriteMetadata) instruction;
        treatment.writeMetadata(
            metadata.getMetadata().getValue(), metadata.getMetadataMask().getValue());
        break;
      case METER:
        treatment.meter(MeterId.meterId(((OFInstructionMeter) instruction).getMeterId()));
        break;
      default:
        break;
    }
  }
}
