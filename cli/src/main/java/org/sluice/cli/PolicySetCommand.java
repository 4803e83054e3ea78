// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicySet;

/** What commands have in common that take a policy set. */
abstract class PolicySetCommand extends PolicyCommand {

  @Argument(
      name = "policies",
      description =
          "A preset such as opentcp1, or a JSON file on the controller's machine; options may also"
              + " follow",
      required = true,
      multiValued = true)
  @Completion(PolicyPresetCompleter.class)
  private List<String> arguments;

  @Override
  final void run() throws SluiceException, JsonProcessingException {
    String typed = only(arguments);
    run(PolicySource.read(typed));
  }

  /** Does with a set what the command is for. */
  abstract void run(PolicySet set) throws SluiceException, JsonProcessingException;
}
