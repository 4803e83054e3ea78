// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.engine.control.EndpointShare;

/** An endpoint whose agent is silent, as it is now. */
@AutoValue
public abstract class SilentEndpoint {

  /**
   * One such endpoint.
   *
   * @param limitBitsPerSecond what switches limit it to; 0: nothing
   */
  public static SilentEndpoint of(
      EndpointId id,
      Optional<PortId> edge,
      long limitBitsPerSecond,
      EndpointShare share,
      boolean refused) {
    return new AutoValue_SilentEndpoint(id, edge, limitBitsPerSecond, share, refused);
  }

  public abstract EndpointId id();

  /** The edge port behind which it is; empty: nobody knows. */
  public abstract Optional<PortId> edge();

  /** What its edge port is to hold it to, bit/s; 0: nothing. */
  public abstract long limitBitsPerSecond();

  public abstract EndpointShare share();

  /** Whether its switch has refused such limits: it may hold this endpoint all the same. */
  public abstract boolean refused();
}
