// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import java.util.ArrayList;
import java.util.List;
import org.onlab.packet.EthType;
import org.onosproject.core.GroupId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.flow.instructions.Instruction;
import org.onosproject.net.flow.instructions.Instructions;
import org.onosproject.net.flow.instructions.Instructions.GroupInstruction;
import org.onosproject.net.flow.instructions.Instructions.OutputInstruction;
import org.onosproject.net.flow.instructions.Instructions.SetQueueInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModMplsHeaderInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModVlanHeaderInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.action.OFActionPopMpls;
import org.projectfloodlight.openflow.protocol.action.OFActionPushVlan;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.action.OFActionSetQueue;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.OFGroup;

/** Lists of instructions to lists of OpenFlow actions and back. */
public final class Actions {

  /** Send whole packets to the controller, never a buffered piece. */
  private static final int WHOLE_PACKET = 0xffff;

  private Actions() {}

  /**
   * Translates instructions, in their order.
   *
   * @throws Unsupported for an instruction without an OpenFlow action
   */
  public static List<OFAction> actions(OFFactory factory, List<Instruction> instructions) {
    List<OFAction> actions = new ArrayList<>();
    for (Instruction instruction : instructions) {
      SetFieldCodec<?, ?> codec = SetFieldCodecs.of(instruction);
      if (codec != null) {
        actions.add(codec.write(factory, instruction));
      } else if (!isPartOfTheTreatment(instruction)) {
        actions.add(action(factory, instruction));
      }
    }
    return actions;
  }

  /** These are not actions: {@link Treatments} writes them. */
  private static boolean isPartOfTheTreatment(Instruction instruction) {
    switch (instruction.type()) {
      case NOACTION:
      case TABLE:
      case METER:
      case METADATA:
        return true;
      default:
        return false;
    }
  }

  private static OFAction action(OFFactory factory, Instruction instruction) {
    switch (instruction.type()) {
      case OUTPUT:
        PortNumber port = ((OutputInstruction) instruction).port();
        int length = port.equals(PortNumber.CONTROLLER) ? WHOLE_PACKET : 0;
        return factory.actions().buildOutput().setPort(Ids.port(port)).setMaxLen(length).build();
      case GROUP:
        return factory.actions().group(OFGroup.of(((GroupInstruction) instruction).groupId().id()));
      case QUEUE:
        return factory.actions().setQueue(((SetQueueInstruction) instruction).queueId());
      case L2MODIFICATION:
        return linkLayerAction(factory, (L2ModificationInstruction) instruction);
      case L3MODIFICATION:
        return internetLayerAction(factory, (L3ModificationInstruction) instruction);
      default:
        throw new Unsupported(instruction);
    }
  }

  private static OFAction linkLayerAction(
      OFFactory factory, L2ModificationInstruction instruction) {
    switch (instruction.subtype()) {
      case VLAN_POP:
        return factory.actions().popVlan();
      case VLAN_PUSH:
        return factory
            .actions()
            .pushVlan(of(((ModVlanHeaderInstruction) instruction).ethernetType()));
      case MPLS_PUSH:
        return factory
            .actions()
            .pushMpls(of(((ModMplsHeaderInstruction) instruction).ethernetType()));
      case MPLS_POP:
        return factory
            .actions()
            .popMpls(of(((ModMplsHeaderInstruction) instruction).ethernetType()));
      case DEC_MPLS_TTL:
        return factory.actions().decMplsTtl();
      default:
        throw new Unsupported(instruction);
    }
  }

  private static OFAction internetLayerAction(
      OFFactory factory, L3ModificationInstruction instruction) {
    switch (instruction.subtype()) {
      case DEC_TTL:
        return factory.actions().decNwTtl();
      case TTL_OUT:
        return factory.actions().copyTtlOut();
      case TTL_IN:
        return factory.actions().copyTtlIn();
      default:
        throw new Unsupported(instruction);
    }
  }

  private static org.projectfloodlight.openflow.types.EthType of(EthType type) {
    return org.projectfloodlight.openflow.types.EthType.of(Short.toUnsignedInt(type.toShort()));
  }

  /** Adds what a switch reports to a treatment; actions that are not supported are left out. */
  public static void addTo(TrafficTreatment.Builder treatment, List<OFAction> actions) {
    for (OFAction action : actions) {
      Instruction instruction = instruction(action);
      if (instruction != null) {
        treatment.add(instruction);
      }
    }
  }

  private static Instruction instruction(OFAction action) {
    switch (action.getType()) {
      case OUTPUT:
        return Instructions.createOutput(Ids.port(((OFActionOutput) action).getPort()));
      case GROUP:
        int group = ((OFActionGroup) action).getGroup().getGroupNumber();
        return Instructions.createGroup(new GroupId(group));
      case SET_QUEUE:
        return Instructions.setQueue(((OFActionSetQueue) action).getQueueId(), null);
      case SET_FIELD:
        OFOxm<?> oxm = ((OFActionSetField) action).getField();
        SetFieldCodec<?, ?> codec = SetFieldCodecs.of(oxm.getMatchField());
        return codec == null ? null : codec.read(oxm);
      case POP_VLAN:
        return Instructions.popVlan();
      case PUSH_VLAN:
        return Instructions.pushVlan(onos(((OFActionPushVlan) action).getEthertype()));
      case PUSH_MPLS:
        return Instructions.pushMpls();
      case POP_MPLS:
        return Instructions.popMpls(onos(((OFActionPopMpls) action).getEthertype()));
      case DEC_MPLS_TTL:
        return Instructions.decMplsTtl();
      case DEC_NW_TTL:
        return Instructions.decNwTtl();
      case COPY_TTL_OUT:
        return Instructions.copyTtlOut();
      case COPY_TTL_IN:
        return Instructions.copyTtlIn();
      default:
        return null;
    }
  }

  private static EthType onos(org.projectfloodlight.openflow.types.EthType type) {
    return new EthType(type.getValue());
  }
}
