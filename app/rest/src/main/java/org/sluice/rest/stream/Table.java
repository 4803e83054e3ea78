// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.json.Json;

/**
 * Rows by id, each with the revision that it changed with, and the ids of those that have gone. Of
 * these so many are remembered; whoever had everything up to a revision before gets all rows again.
 */
final class Table<K, T> implements Section {
  /** How many rows that have gone are remembered. */
  static final int MOST_GONE = 10_000;

  private static final byte[] NOTHING = {};
  private static final byte[] COMMA = {','};

  private final TableKind<T> kind;
  private final Map<K, Row<T>> rows;

  /** The latest last. */
  private final List<Gone<K>> gone;

  /** What went with this revision, or before, may be forgotten. */
  private final long forgottenTo;

  private final long changedAt;

  private static final class Row<T> {
    final T value;
    final Optional<TenantId> owner;
    final long changedAt;

    /** Made when somebody needs it first, by any thread; whoever makes it makes the same. */
    private volatile byte[] json;

    Row(T value, Optional<TenantId> owner, long changedAt) {
      this.value = value;
      this.owner = owner;
      this.changedAt = changedAt;
    }

    byte[] json(TableKind<T> kind) {
      byte[] text = json;
      if (text == null) {
        text = Json.text(kind.form(value)).getBytes(StandardCharsets.UTF_8);
        json = text;
      }
      return text;
    }
  }

  /** A row that is no longer there, or no longer its owner's. */
  private static final class Gone<K> {
    final K id;
    final Optional<TenantId> owner;
    final long goneAt;

    Gone(K id, Optional<TenantId> owner, long goneAt) {
      this.id = id;
      this.owner = owner;
      this.goneAt = goneAt;
    }
  }

  private Table(
      TableKind<T> kind,
      Map<K, Row<T>> rows,
      List<Gone<K>> gone,
      long forgottenTo,
      long changedAt) {
    this.kind = kind;
    this.rows = rows;
    this.gone = gone;
    this.forgottenTo = forgottenTo;
    this.changedAt = changedAt;
  }

  /** One that was never filled. */
  static <K, T> Table<K, T> none(TableKind<T> kind) {
    return new Table<>(kind, Map.of(), List.of(), Cursor.NOTHING, Cursor.NOTHING);
  }

  /** The same with other rows, in their order. */
  Table<K, T> with(Map<K, T> now, long revision) {
    Map<K, Row<T>> rowsNow = new LinkedHashMap<>(2 * now.size());
    List<Gone<K>> goneNow = new ArrayList<>();
    boolean isChanged = changedAt == Cursor.NOTHING;
    for (Map.Entry<K, T> entry : now.entrySet()) {
      Row<T> before = rows.get(entry.getKey());
      Row<T> row = row(before, entry.getValue(), revision);
      rowsNow.put(entry.getKey(), row);
      isChanged |= row.changedAt == revision;
      if (before != null && !before.owner.equals(row.owner)) {
        goneNow.add(new Gone<>(entry.getKey(), before.owner, revision));
      }
    }
    rows.forEach(
        (id, before) -> {
          if (!rowsNow.containsKey(id)) {
            goneNow.add(new Gone<>(id, before.owner, revision));
          }
        });
    if (!isChanged && goneNow.isEmpty() && isKept(rowsNow)) {
      return this;
    }
    long changed = isChanged || !goneNow.isEmpty() ? revision : changedAt;
    if (goneNow.isEmpty()) {
      return new Table<>(kind, rowsNow, gone, forgottenTo, changed);
    }
    goneNow.addAll(0, gone);
    int surplus = Math.max(0, goneNow.size() - MOST_GONE);
    long forgotten = surplus == 0 ? forgottenTo : goneNow.get(surplus - 1).goneAt;
    List<Gone<K>> kept = List.copyOf(goneNow.subList(surplus, goneNow.size()));
    return new Table<>(kind, rowsNow, kept, forgotten, changed);
  }

  /** Whether each row is the one that it was. */
  private boolean isKept(Map<K, Row<T>> rowsNow) {
    return rowsNow.entrySet().stream().allMatch(one -> one.getValue() == rows.get(one.getKey()));
  }

  private Row<T> row(Row<T> before, T now, long revision) {
    if (before == null || !kind.isSame(before.value, now)) {
      return new Row<>(now, kind.owner(now), revision);
    }
    return before.value.equals(now) ? before : new Row<>(now, before.owner, before.changedAt);
  }

  @Override
  public long changedAt() {
    return changedAt;
  }

  @Override
  public String event() {
    return kind.event();
  }

  @Override
  public boolean isDue(Caller caller, long since) {
    if (changedAt <= since || !kind.isFor(caller)) {
      return false;
    }
    return isComplete(since)
        || caller.seesAll()
        || rows.values().stream().anyMatch(row -> isNews(caller, row, since))
        || gone.stream().anyMatch(one -> isNews(caller, one, since));
  }

  private boolean isComplete(long since) {
    return since == Cursor.NOTHING || since < forgottenTo;
  }

  private static <T> boolean isNews(Caller caller, Row<T> row, long since) {
    return row.changedAt > since && sees(caller, row.owner);
  }

  private static <K> boolean isNews(Caller caller, Gone<K> one, long since) {
    return one.goneAt > since && sees(caller, one.owner);
  }

  private static boolean sees(Caller caller, Optional<TenantId> owner) {
    return caller.seesAll() || owner.filter(caller::owns).isPresent();
  }

  @Override
  public void writeData(Caller caller, long since, EventWriter to) throws IOException {
    if (kind.isWhole()) {
      to.text("{\"rows\":[");
      writeRows(caller, Cursor.NOTHING, to);
      to.text("]}");
      return;
    }
    boolean complete = isComplete(since);
    to.text("{\"complete\":" + complete + ",\"rows\":[");
    writeRows(caller, complete ? Cursor.NOTHING : since, to);
    to.text("],\"gone\":[");
    if (!complete) {
      writeGone(caller, since, to);
    }
    to.text("]}");
  }

  private void writeRows(Caller caller, long since, EventWriter to) throws IOException {
    byte[] separator = NOTHING;
    for (Row<T> row : rows.values()) {
      if (isNews(caller, row, since)) {
        to.bytes(separator);
        to.bytes(row.json(kind));
        separator = COMMA;
      }
    }
  }

  private void writeGone(Caller caller, long since, EventWriter to) throws IOException {
    String separator = "";
    for (int i = gone.size() - 1; i >= 0 && gone.get(i).goneAt > since; i--) {
      Gone<K> one = gone.get(i);
      Row<T> back = rows.get(one.id);
      if (sees(caller, one.owner) && (back == null || !sees(caller, back.owner))) {
        to.text(separator + Json.text(one.id));
        separator = ",";
      }
    }
  }
}
