// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;

/** How far a registration has come. */
public enum FlowState {
  /** No connection that fulfils it has been seen. */
  WAITING,
  /** Its connection is open. */
  SENDING,
  /** All of its bytes had arrived in time. */
  MET,
  /** The deadline passed before. */
  MISSED,
  /** The deadline passed, and no connection had been seen. */
  NEVER_SENT,
  /** The connection ended before all declared bytes had arrived, and before the deadline. */
  CLOSED_EARLY,
  /** It was taken back. */
  REMOVED;

  /** As REST, the commands and the applications' socket name it: {@code never-sent}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The state of this {@link #text}.
   *
   * @throws SluiceException of kind INVALID if there is none
   */
  public static FlowState ofText(String text) throws SluiceException {
    for (FlowState state : values()) {
      if (state.text().equals(text)) {
        return state;
      }
    }
    String all = Arrays.stream(values()).map(FlowState::text).collect(Collectors.joining(", "));
    throw SluiceException.invalid("state", text, "There is no such state", "Use one of " + all);
  }

  /** Whether it is over. */
  public boolean isEnded() {
    return this != WAITING && this != SENDING;
  }
}
