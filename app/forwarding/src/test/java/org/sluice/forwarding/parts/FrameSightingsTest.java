// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.parts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.HostSightings;
import org.sluice.forwarding.spi.PacketIn;

class FrameSightingsTest {
  private static final PortId EDGE = PortId.of("of:0000000000000001", 1);
  private static final PortId OTHER = PortId.of("of:0000000000000002", 1);
  private static final PortId UPLINK = PortId.of("of:0000000000000001", 9);
  private static final MacAddress MAC = MacAddress.parse("02:00:00:00:00:01");

  private final FrameSightings sightings = new FrameSightings(UPLINK::equals);
  private final List<String> events = new ArrayList<>();

  @BeforeEach
  void listen() {
    sightings.addListener(
        new HostSightings.Listener() {
          @Override
          public void seen(HostSightings.Sighting sighting) {
            events.add("seen " + sighting.port());
          }

          @Override
          public void gone(HostSightings.Sighting sighting) {
            events.add("gone " + sighting.port());
          }
        });
  }

  /** An ARP request of RFC 826 for 10.0.0.9. */
  private void arp(PortId port, MacAddress mac, String sender) {
    byte[] frame = new byte[42];
    java.util.Arrays.fill(frame, 0, 6, (byte) 0xff);
    System.arraycopy(mac.toBytes(), 0, frame, 6, 6);
    byte[] head = {8, 6, 0, 1, 8, 0, 6, 4, 0, 1};
    System.arraycopy(head, 0, frame, 12, head.length);
    System.arraycopy(mac.toBytes(), 0, frame, 22, 6);
    System.arraycopy(IpAddress.parse(sender).toBytes(), 0, frame, 28, 4);
    System.arraycopy(IpAddress.parse("10.0.0.9").toBytes(), 0, frame, 38, 4);
    assertThat(sightings.received(PacketIn.Packet.of(port, frame, OptionalLong.empty()))).isFalse();
  }

  @Test
  void aHostIsWhereItSpeaksWithAllAddressesThatItClaimsThere() {
    arp(EDGE, MAC, "10.0.0.1");
    arp(EDGE, MAC, "10.0.0.2");
    arp(EDGE, MAC, "10.0.0.2");

    assertThat(sightings.locate(MAC)).contains(EDGE);
    assertThat(sightings.macOf(IpAddress.parse("10.0.0.2"))).contains(MAC);
    assertThat(events).containsExactly("seen " + EDGE, "seen " + EDGE);
  }

  @Test
  void aHostThatMovesTakesNoAddressAlong() {
    arp(EDGE, MAC, "10.0.0.1");
    arp(OTHER, MAC, "10.0.0.2");

    assertThat(sightings.all())
        .containsExactly(
            HostSightings.Sighting.of(MAC, Set.of(IpAddress.parse("10.0.0.2")), OTHER));
  }

  @Test
  void aPortBetweenSwitchesShowsNoHost() {
    arp(UPLINK, MAC, "10.0.0.1");

    assertThat(sightings.all()).isEmpty();
  }

  @Test
  void anAddressProbeShowsTheHostAlone() {
    arp(EDGE, MAC, "0.0.0.0");

    assertThat(sightings.all()).containsExactly(HostSightings.Sighting.of(MAC, Set.of(), EDGE));
  }

  @Test
  void hostsGoWithTheirSwitch() {
    arp(EDGE, MAC, "10.0.0.1");
    sightings.gone(EDGE.datapath());

    assertThat(sightings.all()).isEmpty();
    assertThat(events).containsExactly("seen " + EDGE, "gone " + EDGE);
  }

  @Test
  void aPortThatInventsHostsFillsItsOwnPlacesAlone() {
    for (int i = 0; i < 3000; i++) {
      arp(
          EDGE,
          MacAddress.parse(String.format("02:00:00:01:%02x:%02x", i >> 8, i & 255)),
          "10.0.1.1");
    }
    arp(OTHER, MAC, "10.0.0.1");

    assertThat(sightings.all()).hasSize(1025);
    assertThat(sightings.locate(MAC)).contains(OTHER);
  }
}
