// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.parts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.HostSightings;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.SwitchEvents;

/**
 * Hosts as their ARP and neighbour discovery show them, for platforms that do not keep them. One
 * that is silent stays until its switch leaves or it is seen elsewhere.
 */
public final class FrameSightings
    implements HostSightings, PacketIn.Listener, SwitchEvents.Listener {
  /** What one port may claim: beyond it, new ones are left out. */
  private static final int MAX_PER_PORT = 1024;

  private static final IpAddress ANY_4 = IpAddress.parse("0.0.0.0");
  private static final IpAddress ANY_6 = IpAddress.parse("::");

  private final Predicate<PortId> isInterSwitch;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Map<MacAddress, Sighting> sightings = new HashMap<>();
  private final Map<PortId, Integer> perPort = new HashMap<>();

  /**
   * Nobody yet.
   *
   * @param isInterSwitch ports behind which hosts of other switches are
   */
  public FrameSightings(Predicate<PortId> isInterSwitch) {
    this.isInterSwitch = isInterSwitch;
  }

  @Override
  public boolean received(PacketIn.Packet packet) {
    if (!isInterSwitch.test(packet.port())) {
      EthernetFrame.parse(packet.frame())
          .ifPresent(
              frame ->
                  NeighbourMessage.parse(frame)
                      .ifPresent(message -> seen(frame.source(), message.sender(), packet.port())));
    }
    return false;
  }

  private void seen(MacAddress mac, IpAddress ip, PortId port) {
    if (NeighbourMessage.isProbeMac(mac)) {
      return;
    }
    Sighting now;
    synchronized (this) {
      Sighting before = sightings.get(mac);
      boolean stayed = before != null && before.port().equals(port);
      if (stayed && (isUnspecified(ip) || before.ips().contains(ip))) {
        return;
      }
      if (!stayed && countAt(port) >= MAX_PER_PORT) {
        return;
      }
      Set<IpAddress> ips = stayed ? new HashSet<>(before.ips()) : new HashSet<>();
      if (!isUnspecified(ip)) {
        ips.add(ip);
      }
      if (ips.size() > MAX_PER_PORT) {
        return;
      }
      now = Sighting.of(mac, ips, port);
      if (!stayed) {
        if (before != null) {
          perPort.merge(before.port(), -1, Integer::sum);
        }
        perPort.merge(port, 1, Integer::sum);
      }
      sightings.put(mac, now);
    }
    listeners.forEach(listener -> listener.seen(now));
  }

  private int countAt(PortId port) {
    return perPort.getOrDefault(port, 0);
  }

  /** The sender of a probe for an address that is not its own yet (RFC 5227, RFC 4862). */
  private static boolean isUnspecified(IpAddress ip) {
    return ip.equals(ANY_4) || ip.equals(ANY_6);
  }

  @Override
  public void gone(String datapath) {
    List<Sighting> left = new ArrayList<>();
    synchronized (this) {
      sightings.values().stream()
          .filter(each -> each.port().datapath().equals(datapath))
          .forEach(left::add);
      left.forEach(each -> sightings.remove(each.mac()));
      perPort.keySet().removeIf(port -> port.datapath().equals(datapath));
    }
    left.forEach(each -> listeners.forEach(listener -> listener.gone(each)));
  }

  @Override
  public void returned(String datapath) {
    // Its hosts show themselves.
  }

  @Override
  public void masterChanged(String datapath) {
    // Hosts stay where they are.
  }

  @Override
  public synchronized Collection<Sighting> all() {
    return List.copyOf(sightings.values());
  }

  @Override
  public synchronized Collection<Sighting> of(MacAddress mac) {
    Sighting sighting = sightings.get(mac);
    return sighting == null ? List.of() : List.of(sighting);
  }

  @Override
  public synchronized Optional<PortId> locate(MacAddress mac) {
    return Optional.ofNullable(sightings.get(mac)).map(Sighting::port);
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }
}
