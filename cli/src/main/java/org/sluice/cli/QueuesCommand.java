// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.SettingService;
import org.sluice.api.SluiceException;
import org.sluice.api.queue.PortQueues;
import org.sluice.api.queue.QueueService;
import org.sluice.json.Json;
import org.sluice.json.QueuesDto;
import org.sluice.json.QueuesListDto;

/** Lists what waits at switch ports. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-queues",
    description =
        "Lists what waits at switch ports, by level of priority and by the port of the next switch"
            + " that the last level goes on by")
public final class QueuesCommand extends ListCommand {
  @Argument(
      name = "port",
      description = "Only this port, such as of:0000000000000001/5; without it all",
      multiValued = true)
  @Completion(PortIdCompleter.class)
  private List<String> arguments;

  @Override
  void list() throws SluiceException, JsonProcessingException {
    String port = arguments == null ? null : only(arguments);
    QueueService queues = service(QueueService.class);
    List<PortQueues> shown = port == null ? queues.queues() : List.of(of(queues, port));
    List<Long> thresholds = queues.levelThresholdsBytes();
    if (outputJson()) {
      List<QueuesDto> ports = shown.stream().map(QueuesDto::new).collect(Collectors.toList());
      ObjectNode json = Json.tree(new QueuesListDto(ports, thresholds));
      print("%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json));
      return;
    }
    Function<PortId, String> label = service(PortService.class)::label;
    print("%s", QueueListings.queues(label).table(QueueListings.rows(shown, label)));
    if (shown.isEmpty()) {
      print("%s", reason());
    } else if (!thresholds.isEmpty()) {
      print(
          "Flows change to the next level at %s bytes.",
          thresholds.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }
  }

  private static PortQueues of(QueueService queues, String typed) throws SluiceException {
    PortId id =
        Arguments.parse("port", typed, PortId::parse, "Use a port such as of:0000000000000001/5");
    Optional<PortQueues> found = queues.queues(id);
    return found.orElseThrow(
        () -> SluiceException.notFound("port", typed, "Queues of such a port are not reported"));
  }

  private String reason() {
    boolean hasAgent =
        service(HostDirectory.class).hosts().stream()
            .filter(Host::connected)
            .anyMatch(host -> !host.switchPorts().isEmpty());
    return hasAgent
        ? "None of the ports that agents keep (sluice-hosts) has a switch whose master this node"
            + " is."
        : "No agent that keeps a port's queues is connected (sluice-hosts), and with caps = "
            + service(SettingService.class).value("caps")
            + " none are estimated here.";
  }
}
