// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.MultivaluedMap;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.rest.json.Json;

/** The journal, newest first. */
@Path("journal")
@Produces(MediaType.APPLICATION_JSON)
public final class JournalResource {
  private static final List<String> PARAMETERS = List.of("after", "port", "limit");
  private static final int DEFAULT_LIMIT = 100;

  private final Services services;

  public JournalResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public String read(@Context UriInfo uri) throws SluiceException {
    MultivaluedMap<String, String> query = uri.getQueryParameters();
    for (String name : query.keySet()) {
      if (!PARAMETERS.contains(name)) {
        throw SluiceException.invalid(
            name,
            query.getFirst(name),
            "There is no such parameter",
            "Use these parameters: " + String.join(", ", PARAMETERS));
      }
    }
    long after = number(query, "after", -1, -1, Long.MAX_VALUE);
    int limit = (int) number(query, "limit", DEFAULT_LIMIT, 1, JournalService.CAPACITY);
    Optional<PortId> port = port(query);
    ObjectNode json = Json.object();
    ArrayNode entries = json.putArray("entries");
    services
        .get(JournalService.class)
        .entries(after, port, limit)
        .forEach(entry -> entries.add(write(entry)));
    return json.toString();
  }

  private static long number(
      MultivaluedMap<String, String> query, String name, long absent, long least, long most)
      throws SluiceException {
    String text = query.getFirst(name);
    if (text == null) {
      return absent;
    }
    Optional<Long> number = Ids.parse(text, Long::valueOf);
    if (number.isEmpty() || number.get() < least || number.get() > most) {
      throw SluiceException.invalid(
          name,
          text,
          "This parameter is out of range",
          "Use a whole number from " + least + " to " + most);
    }
    return number.get();
  }

  private static Optional<PortId> port(MultivaluedMap<String, String> query)
      throws SluiceException {
    String text = query.getFirst("port");
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(PortId.parse(text));
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(
          "port", text, e.getMessage(), "Use a port such as of:0000000000000001/5");
    }
  }

  private static ObjectNode write(JournalEntry entry) {
    return Json.object()
        .put("sequence", entry.sequence())
        .put("time", entry.time().toString())
        .put("kind", entry.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .put("law", entry.law())
        .put("port", entry.port().map(PortId::toString).orElse(null))
        .put("endpoint", entry.endpoint().map(EndpointId::toString).orElse(null))
        .put("decision", entry.decision())
        .put("evidence", entry.evidence());
  }
}
