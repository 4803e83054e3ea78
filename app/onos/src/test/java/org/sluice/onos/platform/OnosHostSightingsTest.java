// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.onlab.packet.MacAddress;
import org.onlab.packet.VlanId;
import org.onosproject.net.DefaultHost;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Host;
import org.onosproject.net.HostId;
import org.onosproject.net.HostLocation;
import org.onosproject.net.PortNumber;
import org.onosproject.net.host.HostEvent;
import org.onosproject.net.host.HostServiceAdapter;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.store.service.StorageException;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.testing.VirtualTime;

/** Hosts are read from the cluster's store on a thread of their own, and never else. */
class OnosHostSightingsTest {
  private static final String MAC = "02:00:00:00:01:01";

  private final VirtualTime time = new VirtualTime();
  private final Hosts hosts = new Hosts();
  private final OnosHostSightings sightings = new OnosHostSightings(hosts, time);
  private final List<String> reported = new ArrayList<>();

  private static final class Hosts extends HostServiceAdapter {
    private final Set<Host> all = new HashSet<>();
    private boolean isAvailable = true;
    private int reads;

    @Override
    public Iterable<Host> getHosts() {
      reads++;
      if (!isAvailable) {
        throw new StorageException.Unavailable();
      }
      return List.copyOf(all);
    }
  }

  private static Host host(String mac, long port) {
    return new DefaultHost(
        new ProviderId("host", "test"),
        HostId.hostId(MacAddress.valueOf(mac)),
        MacAddress.valueOf(mac),
        VlanId.NONE,
        new HostLocation(DeviceId.deviceId("of:0000000000000001"), PortNumber.portNumber(port), 0),
        Set.of());
  }

  private void start() {
    sightings.addListener(
        new HostSightings.Listener() {
          @Override
          public void seen(HostSightings.Sighting sighting) {
            reported.add("seen " + sighting.port());
          }

          @Override
          public void gone(HostSightings.Sighting sighting) {
            reported.add("gone " + sighting.port());
          }
        });
    sightings.start();
  }

  private static org.sluice.api.MacAddress mac() {
    return org.sluice.api.MacAddress.parse(MAC);
  }

  @Test
  void hostsAreReadOnceTheStoreAnswers() {
    hosts.all.add(host(MAC, 1));
    hosts.isAvailable = false;
    start();
    time.advanceMillis(1);
    assertThat(sightings.all()).isEmpty();
    hosts.isAvailable = true;
    time.advanceMillis(2_000);
    assertThat(sightings.of(mac())).hasSize(1);
    assertThat(reported).containsExactly("seen of:0000000000000001/1");
    int before = hosts.reads;
    sightings.locate(mac());
    sightings.all();
    assertThat(hosts.reads).isEqualTo(before);
  }

  @Test
  void eventsAreFollowedWithoutReading() {
    start();
    time.advanceMillis(1);
    int before = hosts.reads;
    sightings.changed(new HostEvent(HostEvent.Type.HOST_ADDED, host(MAC, 1)));
    sightings.changed(new HostEvent(HostEvent.Type.HOST_MOVED, host(MAC, 2), host(MAC, 1)));
    assertThat(sightings.locate(mac()).orElseThrow().number()).isEqualTo(2);
    sightings.changed(new HostEvent(HostEvent.Type.HOST_REMOVED, host(MAC, 2)));
    assertThat(sightings.of(mac())).isEmpty();
    assertThat(reported)
        .containsExactly(
            "seen of:0000000000000001/1",
            "seen of:0000000000000001/2",
            "gone of:0000000000000001/2");
    assertThat(hosts.reads).isEqualTo(before);
  }

  @Test
  void whatEventsHaveNotReportedIsReadLater() {
    hosts.all.add(host(MAC, 1));
    start();
    time.advanceMillis(1);
    hosts.all.clear();
    hosts.all.add(host("02:00:00:00:01:02", 7));
    time.advanceMillis(61_000);
    assertThat(reported)
        .containsExactly(
            "seen of:0000000000000001/1",
            "seen of:0000000000000001/7",
            "gone of:0000000000000001/1");
  }
}
