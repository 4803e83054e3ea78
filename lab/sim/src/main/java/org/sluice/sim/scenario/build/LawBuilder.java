// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.sim.scenario.document.Fields;

/** The law of a scenario, its control plane and the endpoints' policies. */
final class LawBuilder {
  private LawBuilder() {}

  static void build(Fields root, Scene scene) {
    Fields law = root.at("law");
    String name = law.text("name", "none");
    if (!name.equals("none")) {
      throw law.problem("name", "the law " + name + " cannot be run yet", "choose none");
    }
  }
}
