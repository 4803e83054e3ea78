// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;

/** Lists the journal. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = "onos",
    name = "sluice-journal",
    description = "Lists decisions with their evidence and whom they concern, newest first")
public final class JournalCommand extends SluiceCommand {
  @Option(name = "-n", aliases = "--limit", description = "Maximum number of entries")
  private String limit = "20";

  @Option(name = "-a", aliases = "--after", description = "Only entries after this number")
  private String after = "-1";

  @Option(name = "-p", aliases = "--port", description = "Only entries about this switch port")
  @Completion(PortIdCompleter.class)
  private String port;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    int most = (int) Arguments.number("--limit", limit, 1, JournalService.CAPACITY);
    long afterSequence = Arguments.number("--after", after, -1, Long.MAX_VALUE);
    Optional<PortId> about = Optional.empty();
    if (port != null) {
      about =
          Optional.of(
              Arguments.parse(
                  "--port", port, PortId::parse, "Use a port such as of:0000000000000001/5"));
    }
    Caller caller = caller();
    int read = caller.seesAll() ? most : JournalService.CAPACITY;
    show(
        Listings.JOURNAL,
        service(JournalService.class).entries(afterSequence, about, read).stream()
            .filter(caller::sees)
            .limit(most)
            .collect(Collectors.toList()));
  }
}
