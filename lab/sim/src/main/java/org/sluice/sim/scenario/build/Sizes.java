// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import com.fasterxml.jackson.databind.JsonNode;
import org.sluice.sim.application.SizeDistribution;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.Quantity;

/** Distributions of transfer sizes as a scenario describes them. */
final class Sizes {
  private Sizes() {}

  static SizeDistribution of(Fields at) {
    JsonNode sizes = at.raw("sizes");
    if (sizes == null) {
      throw at.problem("sizes", "the key is missing", "give webSearch, dataMining or a list");
    }
    if (sizes.isArray()) {
      return points(at, sizes);
    }
    return switch (sizes.asText()) {
      case "webSearch" -> SizeDistribution.webSearch();
      case "dataMining" -> SizeDistribution.dataMining();
      default ->
          throw at.problem(
              "sizes",
              "there is no distribution " + sizes.asText(),
              "give webSearch, dataMining or a list such as [[10 KB, 0.5], [1 MB, 1]]");
    };
  }

  private static SizeDistribution points(Fields at, JsonNode list) {
    double[] sizes = new double[list.size()];
    double[] shares = new double[list.size()];
    try {
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = Quantity.bytes(list.get(i).get(0).asText());
        shares[i] = list.get(i).get(1).asDouble();
      }
      return SizeDistribution.ofPoints(sizes, shares);
    } catch (IllegalArgumentException e) {
      throw at.problem("sizes", e.getMessage(), "give such as [[10 KB, 0.5], [1 MB, 1]]");
    }
  }
}
