// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.SecurityContext;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.ClockTime;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.json.JournalEntryDto;

/** The journal, newest first. */
@Path("journal")
@Produces(MediaType.APPLICATION_JSON)
public final class JournalResource {
  private static final long DEFAULT_LIMIT = 100;

  private final Services services;

  public JournalResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** What the user may see of the newest entries; the limit counts those. */
  @GET
  @ForTenants
  @Takes({
    "after",
    "before",
    "kind",
    "port",
    "endpoint",
    "tenant",
    "law",
    "since",
    "until",
    "limit"
  })
  public Map<String, List<JournalEntryDto>> read(
      @Context UriInfo uri, @Context SecurityContext login) throws SluiceException {
    Caller caller = Callers.of(login);
    JournalQuery query = query(new QueryParameters(uri));
    JournalQuery read =
        caller.seesAll() ? query : query.toBuilder().limit(JournalService.CAPACITY).build();
    List<JournalEntry> entries = services.get(JournalService.class).entries(read);
    return Map.of(
        "entries",
        entries.stream()
            .filter(caller::sees)
            .limit(query.limit())
            .map(JournalEntryDto::new)
            .collect(Collectors.toList()));
  }

  private static JournalQuery query(QueryParameters given) throws SluiceException {
    String time = "Use a time such as 2026-03-01T12:00:00Z";
    return JournalQuery.builder()
        .afterSequence(given.number("after", -1, Long.MAX_VALUE).orElse(-1L))
        .beforeSequence(given.number("before", 0, Long.MAX_VALUE).orElse(Long.MAX_VALUE))
        .kinds(kinds(given))
        .port(given.parsed("port", PortId::parse, "Use a port such as of:0000000000000001/5"))
        .endpoint(given.parsed("endpoint", EndpointId::parse, "Use an endpoint such as h1/vm0"))
        .tenant(given.parsed("tenant", TenantId::of, "Use a tenant such as gold"))
        .law(given.text("law"))
        .since(given.parsed("since", ClockTime::parse, time))
        .until(given.parsed("until", ClockTime::parse, time))
        .limit(given.number("limit", 1, JournalService.CAPACITY).orElse(DEFAULT_LIMIT).intValue())
        .build();
  }

  private static Set<JournalEntry.Kind> kinds(QueryParameters given) throws SluiceException {
    Set<JournalEntry.Kind> kinds = EnumSet.noneOf(JournalEntry.Kind.class);
    for (String one : given.text("kind").map(text -> text.split(",", -1)).orElse(new String[0])) {
      kinds.add(JournalEntry.Kind.ofText("kind", one));
    }
    return kinds;
  }
}
