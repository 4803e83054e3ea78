// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import com.google.auto.value.AutoValue;
import java.util.List;

/**
 * The one entry of the store that every decision replaces, so that of two at once only one is made.
 */
@AutoValue
abstract class RegistrationLog {
  static final RegistrationLog FIRST = of(0, 1, List.of());

  static RegistrationLog of(long number, long nextId, List<StoredFlow> flows) {
    return new AutoValue_RegistrationLog(number, nextId, List.copyOf(flows));
  }

  /** The one to take this one's place. */
  RegistrationLog next(long nextId, List<StoredFlow> flows) {
    return of(number() + 1, nextId, flows);
  }

  /**
   * How many came before it. Whoever has put one in place knows it by this: the store's version
   * would have to be read, and by then be another node's.
   */
  abstract long number();

  /** What the next registration is known by. */
  abstract long nextId();

  /** What was decided last and may not be in entries of its own yet. */
  abstract List<StoredFlow> flows();
}
