// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.flow.criteria.Criterion;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.match.Match;

/** Traffic selectors to OpenFlow matches and back. */
public final class Matches {

  private Matches() {}

  /**
   * Translates a selector.
   *
   * @throws Unsupported when it has a criterion that {@link FieldCodecs} does not list
   */
  public static Match match(OFFactory factory, TrafficSelector selector) {
    Match.Builder match = factory.buildMatch();
    for (Criterion criterion : selector.criteria()) {
      FieldCodec<?, ?> codec = FieldCodecs.of(criterion);
      if (codec == null) {
        throw new Unsupported(criterion);
      }
      codec.write(criterion, match);
    }
    return match.build();
  }

  /** Translates a match; fields that {@link FieldCodecs} does not list are left out. */
  public static TrafficSelector selector(Match match) {
    TrafficSelector.Builder selector = DefaultTrafficSelector.builder();
    for (FieldCodec<?, ?> codec : FieldCodecs.all()) {
      Criterion criterion = codec.read(match);
      if (criterion != null) {
        selector.add(criterion);
      }
    }
    return selector.build();
  }
}
