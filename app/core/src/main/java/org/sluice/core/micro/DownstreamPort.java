// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.PortId;

/** A port whose micro queue is evaluated, and the ports of other switches that feed it. */
@AutoValue
abstract class DownstreamPort {

  static DownstreamPort of(
      PortId id,
      long bandwidthBitsPerSecond,
      int bufferPackets,
      int switchPorts,
      List<Upstream> upstream) {
    return new AutoValue_DownstreamPort(
        id, bandwidthBitsPerSecond, bufferPackets, switchPorts, List.copyOf(upstream));
  }

  abstract PortId id();

  abstract long bandwidthBitsPerSecond();

  /** Of its micro queue. */
  abstract int bufferPackets();

  /** How many ports its switch has. */
  abstract int switchPorts();

  /** The ports that feed it. */
  abstract List<Upstream> upstream();

  /** An upstream port. */
  @AutoValue
  abstract static class Upstream {

    static Upstream of(PortId port, long bandwidthBitsPerSecond, int bufferPackets) {
      return new AutoValue_DownstreamPort_Upstream(port, bandwidthBitsPerSecond, bufferPackets);
    }

    abstract PortId port();

    abstract long bandwidthBitsPerSecond();

    /** Of a background queue. */
    abstract int bufferPackets();
  }
}
