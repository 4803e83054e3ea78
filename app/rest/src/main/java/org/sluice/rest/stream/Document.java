// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.io.IOException;
import java.util.function.Function;
import org.sluice.api.access.Caller;
import org.sluice.json.Json;

/** One value that is sent as a whole whenever it is another one, to those who see all. */
final class Document<T> implements Section {
  private final String event;
  private final Function<T, Object> form;
  private final T value;
  private final long changedAt;

  /** Made when somebody needs it first; whoever makes it makes the same. */
  private String json;

  private Document(String event, Function<T, Object> form, T value, long changedAt) {
    this.event = event;
    this.form = form;
    this.value = value;
    this.changedAt = changedAt;
  }

  /**
   * One without a value.
   *
   * @param form what a value is in JSON
   */
  static <T> Document<T> none(String event, Function<T, Object> form) {
    return new Document<>(event, form, null, Cursor.NOTHING);
  }

  /** The same with a value; this one if it has an equal value. */
  Document<T> with(T now, long revision) {
    return now.equals(value) ? this : new Document<>(event, form, now, revision);
  }

  @Override
  public String event() {
    return event;
  }

  @Override
  public long changedAt() {
    return changedAt;
  }

  @Override
  public boolean isDue(Caller caller, long since) {
    return caller.seesAll() && changedAt > since;
  }

  @Override
  public void writeData(Caller caller, long since, EventWriter to) throws IOException {
    String text = json;
    if (text == null) {
      text = Json.text(form.apply(value));
      json = text;
    }
    to.text(text);
  }
}
