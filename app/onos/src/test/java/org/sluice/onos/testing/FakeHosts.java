// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.onlab.packet.VlanId;
import org.onosproject.net.DefaultHost;
import org.onosproject.net.Host;
import org.onosproject.net.HostId;
import org.onosproject.net.HostLocation;
import org.onosproject.net.host.HostEvent;
import org.onosproject.net.host.HostListener;
import org.onosproject.net.host.HostServiceAdapter;
import org.onosproject.net.provider.ProviderId;

/** Hosts as ONOS would have learnt them. */
public final class FakeHosts extends HostServiceAdapter {
  private final Map<HostId, Host> hosts = new ConcurrentHashMap<>();
  private final List<HostListener> listeners = new CopyOnWriteArrayList<>();

  /** A host is seen at a port such as {@code s1/3}. */
  public void seen(String mac, String at, String... ips) {
    Host host =
        new DefaultHost(
            new ProviderId("host", "test"),
            HostId.hostId(mac + "/None"),
            MacAddress.valueOf(mac),
            VlanId.NONE,
            new HostLocation(Samples.point(at), 1),
            List.of(ips).stream().map(IpAddress::valueOf).collect(Collectors.toSet()));
    boolean known = hosts.put(host.id(), host) != null;
    HostEvent.Type type = known ? HostEvent.Type.HOST_MOVED : HostEvent.Type.HOST_ADDED;
    listeners.forEach(listener -> listener.event(new HostEvent(type, host)));
  }

  public void gone(String mac) {
    Host host = hosts.remove(HostId.hostId(mac + "/None"));
    listeners.forEach(l -> l.event(new HostEvent(HostEvent.Type.HOST_REMOVED, host)));
  }

  @Override
  public Iterable<Host> getHosts() {
    return Set.copyOf(hosts.values());
  }

  @Override
  public Set<Host> getHostsByIp(IpAddress ip) {
    return hosts.values().stream()
        .filter(host -> host.ipAddresses().contains(ip))
        .collect(Collectors.toSet());
  }

  @Override
  public Set<Host> getHostsByMac(MacAddress mac) {
    return hosts.values().stream()
        .filter(host -> host.mac().equals(mac))
        .collect(Collectors.toSet());
  }

  @Override
  public void addListener(HostListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(HostListener listener) {
    listeners.remove(listener);
  }
}
