// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.util.List;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.sluice.api.access.Caller;
import org.sluice.rest.StreamEvents.Event;
import org.sluice.rest.stream.StreamReader;

/** The stream as the resource serves it; each ends with its first update. */
class StreamResourceTest extends RestTestBase {
  private List<Event> events(Response response) {
    assertThat(response.getStatus()).isEqualTo(200);
    assertThat(response.getMediaType().toString()).isEqualTo("text/event-stream");
    return StreamEvents.events(response.readEntity(String.class));
  }

  @Test
  void lastEventIdIsReadFromHeaderOrQuery() {
    List<Event> first = events(get("stream"));
    assertThat(first).hasSize(10);
    String id = first.get(9).id;

    assertThat(events(at("stream").header("Last-Event-ID", id).get())).hasSize(1);
    assertThat(events(get("stream?lastEventId=" + id))).hasSize(1);
    assertThat(events(at("stream?lastEventId=" + id).header("Last-Event-ID", "x").get()))
        .as("the header precedes")
        .hasSize(10);
  }

  @Test
  void tenantUserMayReadTheStream() {
    assertThat(events(as("sluice-tenant sluice-tenant-red", "stream").get())).hasSize(5);
    problem(as("sluice-tenant-red", "stream").get(), 403, "method", "GET");
  }

  @Test
  void readerBeyondTheLimitGetsARetryTime() throws Exception {
    StreamReader reading = feed.open(Caller.of("viewer"::equals), "user", "").orElseThrow();
    assertThat(feed.open(Caller.of("viewer"::equals), "user", "")).isPresent();

    Response refused = get("stream");
    assertThat(refused.getHeaderString("Retry-After")).isEqualTo("5");
    problem(refused, 503, "", "");

    reading.run(OutputStream.nullOutputStream());
    assertThat(events(get("stream"))).hasSize(10);
  }

  @Test
  void headRequestUsesNoReaderSlot() {
    for (int i = 0; i < 3; i++) {
      Response head = at("stream").head();
      assertThat(head.getStatus()).isEqualTo(200);
      assertThat(head.getMediaType().toString()).isEqualTo("text/event-stream");
    }
    assertThat(events(get("stream"))).hasSize(10);
  }

  @Test
  void missingServicesAreUnavailable() {
    services.withdrawAll();
    problem(get("stream"), 503, "", "");
  }
}
