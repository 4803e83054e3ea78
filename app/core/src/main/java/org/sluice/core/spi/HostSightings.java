// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/** Which MAC address the platform saw behind which edge port, with the IP addresses it claims. */
public interface HostSightings {

  /** A MAC address behind a port. */
  @AutoValue
  abstract class Sighting {
    public static Sighting of(MacAddress mac, Set<IpAddress> ips, PortId port) {
      return new AutoValue_HostSightings_Sighting(mac, Set.copyOf(ips), port);
    }

    public abstract MacAddress mac();

    /** As its packets claim; nobody has checked them. */
    public abstract Set<IpAddress> ips();

    public abstract PortId port();
  }

  /** Receives what changed, on any thread; must not block. */
  interface Listener {
    /** Seen first, or at another port, or with other addresses. */
    void seen(Sighting sighting);

    /** Not there any longer. */
    void gone(Sighting sighting);
  }

  Collection<Sighting> all();

  /** Those of a MAC address, in several VLANs perhaps; the one that counts first. */
  Collection<Sighting> of(MacAddress mac);

  /** The edge port behind which a MAC address was seen last. */
  default Optional<PortId> locate(MacAddress mac) {
    return of(mac).stream().map(Sighting::port).findFirst();
  }

  /** The MAC address that was seen with an IP address. */
  default Optional<MacAddress> macOf(IpAddress ip) {
    return all().stream().filter(each -> each.ips().contains(ip)).map(Sighting::mac).findFirst();
  }

  void addListener(Listener listener);

  void removeListener(Listener listener);
}
