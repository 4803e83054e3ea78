// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.PortService;
import org.sluice.api.SettingService;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.QueueService;

/** Lists flows that have sent more than short flows do. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-background-flows",
    description =
        "Lists background flows: flows that have sent more than short flows do, and have"
            + " not ended")
public final class BackgroundFlowsCommand extends ListCommand {
  private static final int MAX_LISTED = 100_000;

  @Option(name = "-n", aliases = "--limit", description = "Maximum number of flows")
  private String limit = "50";

  @Override
  void list() throws SluiceException, JsonProcessingException {
    long most = Arguments.number("--limit", limit, 1, MAX_LISTED);
    Caller caller = caller();
    List<BackgroundFlow> shown =
        service(QueueService.class).backgroundFlows().stream()
            .filter(caller::sees)
            .limit(most)
            .collect(Collectors.toList());
    show(QueueListings.flows(service(PortService.class)::label), shown);
    if (shown.isEmpty() && !outputJson() && caller.seesAll()) {
      print("%s", reason());
    }
  }

  private String reason() {
    SettingService settings = service(SettingService.class);
    String caps = settings.value("caps");
    boolean isSampled = !settings.value("sflowPort").equals("0");
    if (caps.equals("off") && isSampled) {
      return "No flow that switches sample has sent that much, or their samples are not accepted"
          + " (sluice-doctor); agents do not report flows: caps = off.";
    }
    if (caps.equals("off")) {
      return "Flows' sizes are not collected: caps = off ("
          + settings.command("caps", "sluice")
          + "), unless levelThresholds = tuned; sflowPort = 0.";
    }
    boolean hasAgent = service(HostDirectory.class).hosts().stream().anyMatch(Host::connected);
    return hasAgent
        ? "No flow has sent that much, or no agent has levels of priority."
        : "No agent is connected (sluice-hosts).";
  }
}
