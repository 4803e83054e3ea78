// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.OverlayService;
import org.sluice.api.SluiceException;

/** Switches the highlights in ONOS's topology view. */
@Service
@Needs(Permission.CHANGE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-overlay",
    description =
        "Highlights congested links and switches with limited endpoints in ONOS's topology view,"
            + " or does so no longer")
public final class OverlayCommand extends SluiceCommand {
  static final List<String> STATES = List.of("on", "off");

  @Argument(name = "state", description = "on or off", required = true, multiValued = true)
  @Completion(OnOffCompleter.class)
  private List<String> arguments;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    String state = only(arguments);
    if (!STATES.contains(state)) {
      throw SluiceException.invalid("state", state, "There is no such state", "Use on or off");
    }
    OverlayService overlay = service(OverlayService.class);
    boolean on = state.equals("on");
    overlay.switchTo(on);
    if (outputJson()) {
      print("%s", mapper().createObjectNode().put("on", on).put("hasView", overlay.hasView()));
    } else if (on && !overlay.hasView()) {
      print("It is on, and nothing shows it: this ONOS has no page of its own (onos-gui2).");
    }
  }
}
