// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.sluice.sim.fabric.Fabric;
import org.sluice.sim.fabric.FabricDocument;
import org.sluice.sim.fabric.FabricDraw;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.ScenarioDocument;

/** Scenarios whose network and senders are another one for each seed. */
public final class RandomTopology {
  private RandomTopology() {}

  /** What is drawn for a seed; nothing where the scenario has a network of its own. */
  public static Optional<Fabric> of(ScenarioDocument document, int seed) {
    Fields root = new Fields(document, KeyPath.ROOT);
    if (!root.at("topology").text("kind", "").equals("random")) {
      return Optional.empty();
    }
    for (String key : new String[] {"flows", "policy", "tenants"}) {
      if (root.has(key)) {
        throw root.problem(key, "it is drawn with the network", "leave it out");
      }
    }
    return Optional.of(FabricDraw.of(seed));
  }

  /** The scenario with a fabric in it. */
  public static ScenarioDocument with(ScenarioDocument document, Fabric fabric) {
    ScenarioDocument whole = document.copy();
    ObjectNode drawn = FabricDocument.of(fabric);
    KeyPath topology = KeyPath.ROOT.child("topology");
    drawn
        .properties()
        .forEach(
            each ->
                whole.set(
                    KeyPath.ROOT.child(each.getKey()), each.getValue(), document.origin(topology)));
    return whole;
  }
}
