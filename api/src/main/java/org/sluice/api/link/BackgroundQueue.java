// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/** One background queue of a port: what of the last level waits there. */
@AutoValue
public abstract class BackgroundQueue {

  public static BackgroundQueue of(PortId downstream, Set<IpAddress> destinations) {
    return new AutoValue_BackgroundQueue(downstream, Set.copyOf(destinations));
  }

  /** The port that its packets leave the next switch by. */
  public abstract PortId downstream();

  /** None is of two queues of a port. */
  public abstract Set<IpAddress> destinations();
}
