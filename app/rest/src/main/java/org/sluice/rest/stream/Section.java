// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.io.IOException;
import org.sluice.api.access.Caller;

/** The contents of one kind of event at a revision. Immutable, but for texts that are kept. */
interface Section {

  /** The name of the event. */
  String event();

  /** The revision of the last change. */
  long changedAt();

  /** Whether there is anything for a reader that has everything up to a revision. */
  boolean isDue(Caller caller, long since);

  /** Writes the event's data for such a reader, as JSON. */
  void writeData(Caller caller, long since, EventWriter to) throws IOException;
}
