// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Map;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicySet;

/** What commands have in common that take a policy set. */
abstract class PolicySetCommand extends PolicyCommand {
  private static final Map<String, String> FLAG_NAMES = Map.of("-j", "--json");
  private static final List<String> FLAGS = List.of("--json");

  @Argument(
      name = "policies",
      description =
          "A preset such as opentcp1, or a JSON file on the controller's machine; options may also"
              + " follow",
      required = true,
      multiValued = true)
  @Completion(PolicyPresetCompleter.class)
  private List<String> arguments;

  private boolean jsonAfterwards;

  @Override
  final void run() throws SluiceException, JsonProcessingException {
    TrailingOptions behind =
        new TrailingOptions(arguments.subList(1, arguments.size()), FLAG_NAMES, FLAGS);
    jsonAfterwards = behind.has("--json");
    run(PolicySource.read(arguments.get(0)));
  }

  /** Does with a set what the command is for. */
  abstract void run(PolicySet set) throws SluiceException, JsonProcessingException;

  @Override
  protected final boolean outputJson() {
    return jsonAfterwards || super.outputJson();
  }
}
