// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.api.HostId;
import org.sluice.api.deadline.FlowWish;

/**
 * An application on a host asks about deadlines: it registers one, takes one back, or, if neither
 * {@link #wish} nor {@link #remove} is there, wants the list of its host's.
 */
@AutoValue
public abstract class FlowRequest {

  public static FlowRequest register(HostId host, long request, FlowWish wish) {
    return new AutoValue_FlowRequest(host, request, Optional.of(wish), OptionalLong.empty());
  }

  public static FlowRequest remove(HostId host, long request, long id) {
    return new AutoValue_FlowRequest(host, request, Optional.empty(), OptionalLong.of(id));
  }

  public static FlowRequest list(HostId host, long request) {
    return new AutoValue_FlowRequest(host, request, Optional.empty(), OptionalLong.empty());
  }

  public abstract HostId host();

  /** Names the answer; unique within a session. */
  public abstract long request();

  /** What to register. Its values are as the application gave them, and not checked. */
  public abstract Optional<FlowWish> wish();

  /** Which registration to take back. */
  public abstract OptionalLong remove();
}
