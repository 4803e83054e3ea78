// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.Optional;

/**
 * Says which endpoints belong to a tenant: by address range, by Ethernet address, or by the very
 * interface. Of several memberships that match an endpoint the most specific wins: interface before
 * MAC before the longer prefix.
 */
@AutoValue
public abstract class Member {

  public static Member ofPrefix(IpPrefix prefix) {
    return new AutoValue_Member(Optional.of(prefix), Optional.empty(), Optional.empty());
  }

  public static Member ofMac(MacAddress mac) {
    return new AutoValue_Member(Optional.empty(), Optional.of(mac), Optional.empty());
  }

  public static Member ofEndpoint(EndpointId endpoint) {
    return new AutoValue_Member(Optional.empty(), Optional.empty(), Optional.of(endpoint));
  }

  public abstract Optional<IpPrefix> ipPrefix();

  public abstract Optional<MacAddress> mac();

  public abstract Optional<EndpointId> endpoint();

  /** How exactly this names an endpoint: the greater wins. */
  public int specificity() {
    if (endpoint().isPresent()) {
      return 1000;
    }
    return mac().isPresent() ? 500 : ipPrefix().orElseThrow().length();
  }

  /** Whether this membership covers an endpoint with these properties. */
  public boolean covers(EndpointId id, MacAddress itsMac, Iterable<IpAddress> itsIps) {
    if (endpoint().isPresent()) {
      return endpoint().get().equals(id);
    }
    if (mac().isPresent()) {
      return mac().get().equals(itsMac);
    }
    IpPrefix prefix = ipPrefix().orElseThrow();
    for (IpAddress ip : itsIps) {
      if (prefix.contains(ip)) {
        return true;
      }
    }
    return false;
  }
}
