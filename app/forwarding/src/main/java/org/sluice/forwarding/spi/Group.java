// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;

/** A select group, as the platform knows it. */
@AutoValue
public abstract class Group {

  /**
   * A group.
   *
   * @param name that it was given, unique on its switch
   * @param id its number there
   * @param isConfirmed whether its switch has said that it stands
   */
  public static Group of(String name, long id, boolean isConfirmed) {
    return new AutoValue_Group(name, id, isConfirmed);
  }

  public abstract String name();

  public abstract long id();

  public abstract boolean isConfirmed();
}
