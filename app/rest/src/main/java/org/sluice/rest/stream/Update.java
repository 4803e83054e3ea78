// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.cluster.ClusterService;
import org.sluice.json.JournalEntryDto;
import org.sluice.json.Json;

/**
 * What a reader has not got yet of a snapshot. All of its events but the last carry the id of the
 * last update: a reader that comes back with one of them has not got all of this one.
 */
final class Update {
  /** How many entries of the journal those get that have none. */
  static final int FIRST_ENTRIES = 100;

  /** Whoever lacks more gets the newest only. */
  static final int MOST_ENTRIES = 1000;

  private final Snapshot now;
  private final Cursor from;
  private final Caller caller;
  private final Sources sources;

  private interface Data {
    void write(EventWriter to) throws IOException;
  }

  private static final class Event {
    final String name;
    final Data data;

    Event(String name, Data data) {
      this.name = name;
      this.data = data;
    }
  }

  Update(Snapshot now, Cursor from, Caller caller, Sources sources) {
    this.now = now;
    this.from = from;
    this.caller = caller;
    this.sources = sources;
  }

  /**
   * Writes it.
   *
   * @param withTime whether the time is part of it
   * @return what the reader has then
   */
  Cursor write(boolean withTime, EventWriter to) throws IOException, SluiceException {
    List<Event> events = events(withTime);
    for (int i = 0; i < events.size(); i++) {
      to.begin(events.get(i).name);
      events.get(i).data.write(to);
      to.end(i == events.size() - 1 ? now.cursor() : from);
    }
    return now.cursor();
  }

  private List<Event> events(boolean withTime) throws SluiceException {
    List<Event> events = new ArrayList<>();
    for (Section section : now.sections) {
      if (section.isDue(caller, from.revision)) {
        events.add(new Event(section.event(), to -> section.writeData(caller, from.revision, to)));
      }
    }
    addJournal(events);
    if (withTime) {
      String fault = sources.get(ClusterService.class).storeFault();
      Map<String, Object> data = new LinkedHashMap<>();
      data.put("at", Instant.now());
      data.put("storeFault", fault.isEmpty() ? null : fault);
      events.add(new Event("time", to -> to.text(Json.text(data))));
    }
    return events;
  }

  private void addJournal(List<Event> events) throws SluiceException {
    long newest = now.newestJournalSequence;
    long after = from.journalSequence;
    boolean complete =
        from.revision == Cursor.NOTHING || after > newest || newest - after > MOST_ENTRIES;
    if (!complete && after == newest) {
      return;
    }
    List<JournalEntryDto> rows =
        complete ? entries(Cursor.NOTHING, FIRST_ENTRIES) : entries(after, MOST_ENTRIES);
    if (complete || !rows.isEmpty()) {
      Map<String, Object> data = new LinkedHashMap<>();
      data.put("complete", complete);
      data.put("rows", rows);
      events.add(new Event("journal", to -> to.text(Json.text(data))));
    }
  }

  /** The newest entries that the user sees, newest first. */
  private List<JournalEntryDto> entries(long after, int limit) throws SluiceException {
    JournalQuery query =
        JournalQuery.builder()
            .afterSequence(after)
            .beforeSequence(now.newestJournalSequence + 1)
            .limit(caller.seesAll() ? limit : JournalService.CAPACITY)
            .build();
    return sources.get(JournalService.class).entries(query).stream()
        .filter(caller::sees)
        .limit(limit)
        .map(JournalEntryDto::new)
        .collect(Collectors.toList());
  }
}
