// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;

/** How an agent introduces its host. */
@AutoValue
public abstract class HostHello {

  public static HostHello of(
      HostId host,
      String agentVersion,
      String uplink,
      MacAddress uplinkMac,
      long uplinkCapacityBitsPerSecond,
      List<ReportedEndpoint> endpoints,
      List<String> missingFeatures) {
    return new AutoValue_HostHello(
        host,
        agentVersion,
        uplink,
        uplinkMac,
        uplinkCapacityBitsPerSecond,
        List.copyOf(endpoints),
        List.copyOf(missingFeatures));
  }

  public abstract HostId host();

  public abstract String agentVersion();

  public abstract String uplink();

  public abstract MacAddress uplinkMac();

  public abstract long uplinkCapacityBitsPerSecond();

  public abstract List<ReportedEndpoint> endpoints();

  public abstract List<String> missingFeatures();
}
