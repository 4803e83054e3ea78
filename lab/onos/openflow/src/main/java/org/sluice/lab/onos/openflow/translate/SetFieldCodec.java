// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import java.util.function.Function;
import org.onosproject.net.flow.instructions.Instruction;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.OFValueType;

/**
 * One header field that an instruction may rewrite.
 *
 * @param <I> the instruction's class
 * @param <V> the field's value
 */
final class SetFieldCodec<I extends Instruction, V extends OFValueType<V>> {

  private final MatchField<V> field;
  private final Function<I, V> value;
  private final Function<V, Instruction> instruction;

  SetFieldCodec(MatchField<V> field, Function<I, V> value, Function<V, Instruction> instruction) {
    this.field = field;
    this.value = value;
    this.instruction = instruction;
  }

  MatchField<V> field() {
    return field;
  }

  @SuppressWarnings("unchecked") // The table in SetFieldCodecs pairs subtypes with their class.
  OFAction write(OFFactory factory, Instruction from) {
    return factory.actions().setField(factory.oxms().fromValue(value.apply((I) from), field));
  }

  @SuppressWarnings("unchecked") // The caller looked this codec up by the oxm's own field.
  Instruction read(OFOxm<?> oxm) {
    return instruction.apply((V) oxm.getValue());
  }
}
