// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import java.util.function.BiFunction;
import java.util.function.Function;
import org.onosproject.net.flow.criteria.Criterion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.Masked;
import org.projectfloodlight.openflow.types.OFValueType;

/**
 * One header field: ONOS's criterion to OpenFlow's match field and back.
 *
 * @param <C> the criterion's class
 * @param <V> the field's value
 */
final class FieldCodec<C extends Criterion, V extends OFValueType<V>> {

  private final MatchField<V> field;
  private final Function<C, V> value;
  private final Function<C, V> mask;
  private final BiFunction<V, V, Criterion> criterion;

  /**
   * Creates a codec.
   *
   * @param mask of a criterion, null when it is to match exactly
   * @param criterion from a value and its mask, null when it matches exactly
   */
  FieldCodec(
      MatchField<V> field,
      Function<C, V> value,
      Function<C, V> mask,
      BiFunction<V, V, Criterion> criterion) {
    this.field = field;
    this.value = value;
    this.mask = mask;
    this.criterion = criterion;
  }

  static <C extends Criterion, V extends OFValueType<V>> FieldCodec<C, V> exact(
      MatchField<V> field, Function<C, V> value, Function<V, Criterion> criterion) {
    return new FieldCodec<>(field, value, any -> null, (v, m) -> criterion.apply(v));
  }

  @SuppressWarnings("unchecked") // The table in FieldCodecs pairs criterion types with their class.
  void write(Criterion from, Match.Builder match) {
    C typed = (C) from;
    V fieldMask = mask.apply(typed);
    if (fieldMask == null) {
      match.setExact(field, value.apply(typed));
    } else {
      match.setMasked(field, value.apply(typed), fieldMask);
    }
  }

  /** Returns the criterion, or null when the match does not have this field. */
  Criterion read(Match match) {
    if (!match.supports(field) || match.isFullyWildcarded(field)) {
      return null;
    }
    if (match.isPartiallyMasked(field)) {
      Masked<V> masked = match.getMasked(field);
      return criterion.apply(masked.getValue(), masked.getMask());
    }
    return criterion.apply(match.get(field), null);
  }
}
