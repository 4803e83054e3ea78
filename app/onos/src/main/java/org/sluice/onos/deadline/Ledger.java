// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import com.google.auto.value.AutoValue;
import java.util.List;

/**
 * The one entry of the store that every decision replaces, so that of two at once only one is made.
 */
@AutoValue
abstract class Ledger {
  static final Ledger FIRST = of(1, List.of());

  static Ledger of(long nextId, List<StoredFlow> flows) {
    return new AutoValue_Ledger(nextId, List.copyOf(flows));
  }

  /** What the next registration is known by. */
  abstract long nextId();

  /** What was decided last and may not be in entries of its own yet. */
  abstract List<StoredFlow> flows();
}
