// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;

/** Lists the journal. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-journal",
    description = "Lists decisions with their evidence and whom they concern, newest first")
public final class JournalCommand extends ListCommand {
  @Option(name = "-n", aliases = "--limit", description = "Maximum number of entries")
  private String limit = "20";

  @Option(name = "-a", aliases = "--after", description = "Only entries after this number")
  private String after = "-1";

  @Option(name = "-p", aliases = "--port", description = "Only entries about this switch port")
  @Completion(PortIdCompleter.class)
  private String port;

  @Option(name = "-b", aliases = "--before", description = "Only entries before this number")
  private String before = String.valueOf(Long.MAX_VALUE);

  @Option(
      name = "-k",
      aliases = "--kind",
      multiValued = true,
      description = "Only entries of this kind, such as unit-share; may be given several times")
  @Completion(JournalKindCompleter.class)
  private List<String> kinds = new ArrayList<>();

  @Option(name = "-e", aliases = "--endpoint", description = "Only entries about this endpoint")
  @Completion(EndpointIdCompleter.class)
  private String endpoint;

  @Option(name = "-t", aliases = "--tenant", description = "Only entries about this tenant")
  @Completion(TenantIdCompleter.class)
  private String tenant;

  @Option(name = "-s", aliases = "--since", description = "Only entries of the last 30s, 10min")
  private String since;

  @Override
  void list() throws SluiceException, JsonProcessingException {
    JournalQuery query = query();
    Caller caller = caller();
    JournalQuery read =
        caller.seesAll() ? query : query.toBuilder().limit(JournalService.CAPACITY).build();
    show(
        Listings.JOURNAL,
        service(JournalService.class).entries(read).stream()
            .filter(caller::sees)
            .limit(query.limit())
            .collect(Collectors.toList()));
  }

  private JournalQuery query() throws SluiceException {
    Set<JournalEntry.Kind> asked = EnumSet.noneOf(JournalEntry.Kind.class);
    for (String one : kinds) {
      asked.add(JournalEntry.Kind.ofText("--kind", one));
    }
    return JournalQuery.builder()
        .afterSequence(Arguments.number("--after", after, -1, Long.MAX_VALUE))
        .beforeSequence(Arguments.number("--before", before, 0, Long.MAX_VALUE))
        .kinds(asked)
        .port(given("--port", port, PortId::parse, "Use a port such as of:0000000000000001/5"))
        .endpoint(
            given("--endpoint", endpoint, EndpointId::parse, "Use an endpoint such as h1/vm0"))
        .tenant(given("--tenant", tenant, TenantId::of, "Use a tenant such as gold"))
        .since(start())
        .limit((int) Arguments.number("--limit", limit, 1, JournalService.CAPACITY))
        .build();
  }

  private Optional<Instant> start() throws SluiceException {
    return since == null
        ? Optional.empty()
        : Optional.of(Instant.now().minusNanos(FlowSyntax.nanosAgo("--since", since)));
  }

  private static <T> Optional<T> given(
      String name, String typed, Function<String, T> parser, String remedy) throws SluiceException {
    return typed == null
        ? Optional.empty()
        : Optional.of(Arguments.parse(name, typed, parser, remedy));
  }
}
