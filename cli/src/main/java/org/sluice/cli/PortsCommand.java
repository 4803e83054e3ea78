// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;

/** Lists switch ports. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-ports",
    description =
        "Lists switch ports with capacity, congestion, unit share (what weight 1 may send) and"
            + " the source of their counters")
public final class PortsCommand extends ListCommand {
  @Option(name = "-c", aliases = "--congested", description = "Only ports under control now")
  private boolean congested;

  @Override
  void list() throws JsonProcessingException {
    List<PortStatus> shown =
        service(PortService.class).ports().stream()
            .filter(port -> !congested || port.congested())
            .collect(Collectors.toList());
    Map<String, CounterSource> sources = new HashMap<>();
    service(CounterService.class)
        .switches()
        .forEach(counters -> sources.put(counters.datapath(), counters.source()));
    show(Listings.ports(sources), shown);
  }
}
