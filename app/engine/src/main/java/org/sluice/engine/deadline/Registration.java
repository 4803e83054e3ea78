// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.OptionalLong;
import org.sluice.api.deadline.Admission;

/** What became of a request to register a flow. */
public final class Registration {
  private final OptionalLong id;
  private final Admission admission;

  private Registration(OptionalLong id, Admission admission) {
    this.id = id;
    this.admission = admission;
  }

  static Registration made(long id, Admission admission) {
    return new Registration(OptionalLong.of(id), admission);
  }

  static Registration refused(Admission admission) {
    return new Registration(OptionalLong.empty(), admission);
  }

  /** What to remove it by; empty if it was not registered. */
  public OptionalLong id() {
    return id;
  }

  /** Whether the deadline is promised; not so for one that was forced. */
  public Admission admission() {
    return admission;
  }
}
