// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Collection;
import java.util.List;
import org.sluice.api.Finding;

/** The doctor's questions that only the platform can answer, and the remedies that are its own. */
public interface PlatformDiagnosis {

  /** What is wrong with the platform's own version and settings now. */
  List<Finding> findings();

  /** What is not as it should be with the switches whose master this node is, and may pass. */
  Collection<Symptom> symptoms();

  /** The command that sets one of Sluice's settings. */
  String settingCommand(String setting, String value);

  /**
   * What an operator types.
   *
   * @param what the command is about, and its options; empty: it needs nothing
   */
  default String command(OperatorCommand command, String what) {
    return command.inShell(what);
  }

  /** How an operator sets a port's capacity. */
  String capacityRemedy(String port);

  /** The command that gives switches without a master one. */
  String masterRemedy();

  /** Why REST or the page cannot be had of this node; empty: they can, or it has none. */
  default String webFault() {
    return "";
  }

  /** What mends a node of the cluster on which Sluice does not run, or not whole. */
  default String nodeRemedy(String node) {
    return "On "
        + node
        + ": see that the controller runs, reaches the other nodes, and has started Sluice";
  }

  /** The command that shows what a symptom is about, or mends it. */
  String symptomRemedy(Symptom.Kind kind, String datapath);
}
