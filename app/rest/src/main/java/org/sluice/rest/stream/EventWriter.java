// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes server-sent events in the form of the HTML standard, section 9.2. */
final class EventWriter {
  /** Jersey keeps the first 8 KiB of a body to itself, whatever is flushed. */
  private static final int PADDING = 8 << 10;

  private final OutputStream out;

  EventWriter(OutputStream out) {
    this.out = out;
  }

  /** Writes a comment that is long enough for a container to begin with its response. */
  void writePadding() throws IOException {
    text(":" + " ".repeat(PADDING) + "\n\n");
  }

  /** How soon a reader that lost its connection shall come back. */
  void writeRetryMillis(long millis) throws IOException {
    text("retry: " + millis + "\n\n");
  }

  /** Begins an event; its data follow. */
  void begin(String event) throws IOException {
    text("event: " + event + "\ndata: ");
  }

  /** Writes a part of an event's data, which must be free of line breaks, as JSON is. */
  void text(String part) throws IOException {
    out.write(part.getBytes(StandardCharsets.UTF_8));
  }

  /** The same, of bytes in UTF-8 that were made once for all readers. */
  void bytes(byte[] part) throws IOException {
    out.write(part);
  }

  /** Ends an event: whoever has it comes back with this id. */
  void end(Cursor id) throws IOException {
    text("\nid: " + id + "\n\n");
  }

  void flush() throws IOException {
    out.flush();
  }
}
