// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.api.HostId;
import org.sluice.api.deadline.DeadlineRequest;

/**
 * A request of an application on a host about deadlines: to register one, to remove one, or, if
 * neither {@link #register} nor {@link #remove} is present, to list its host's.
 */
@AutoValue
public abstract class FlowRequest {

  public static FlowRequest register(HostId host, long request, DeadlineRequest deadline) {
    return new AutoValue_FlowRequest(host, request, Optional.of(deadline), OptionalLong.empty());
  }

  public static FlowRequest remove(HostId host, long request, long id) {
    return new AutoValue_FlowRequest(host, request, Optional.empty(), OptionalLong.of(id));
  }

  public static FlowRequest list(HostId host, long request) {
    return new AutoValue_FlowRequest(host, request, Optional.empty(), OptionalLong.empty());
  }

  public abstract HostId host();

  /** Repeated in the answer; unique within a session. */
  public abstract long request();

  /** What to register. Its values are as the application gave them, and not checked. */
  public abstract Optional<DeadlineRequest> register();

  /** Which registration to remove. */
  public abstract OptionalLong remove();
}
