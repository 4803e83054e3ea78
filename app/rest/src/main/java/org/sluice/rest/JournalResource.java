// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.SecurityContext;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.rest.json.JournalEntryDto;

/** The journal, newest first. */
@Path("journal")
@Produces(MediaType.APPLICATION_JSON)
public final class JournalResource {
  private static final List<String> PARAMETERS = List.of("after", "port", "limit");
  private static final long DEFAULT_LIMIT = 100;

  private final Services services;

  public JournalResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** What the user may see of the newest entries; the limit counts those. */
  @GET
  @ForTenants
  public Map<String, List<JournalEntryDto>> read(
      @Context UriInfo uri, @Context SecurityContext login) throws SluiceException {
    Caller caller = Callers.of(login);
    QueryParameters query = new QueryParameters(uri).only(PARAMETERS);
    long after = query.number("after", -1, Long.MAX_VALUE).orElse(-1L);
    long limit = query.number("limit", 1, JournalService.CAPACITY).orElse(DEFAULT_LIMIT);
    Optional<PortId> port =
        query.parsed("port", PortId::parse, "Use a port such as of:0000000000000001/5");
    int read = caller.seesAll() ? (int) limit : JournalService.CAPACITY;
    List<JournalEntry> entries = services.get(JournalService.class).entries(after, port, read);
    return Map.of(
        "entries",
        entries.stream()
            .filter(caller::sees)
            .limit(limit)
            .map(JournalEntryDto::new)
            .collect(Collectors.toList()));
  }
}
