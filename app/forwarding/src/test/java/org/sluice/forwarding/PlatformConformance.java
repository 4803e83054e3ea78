// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.port;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.sluice.api.MacAddress;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.SwitchPort;
import org.sluice.forwarding.frame.Frames;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.SwitchEvents;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

/** What a platform's interfaces promise besides, where switches fail and change their master. */
public abstract class PlatformConformance extends StandingConformance {
  private static final String MAC = "02:00:00:00:01:01";

  private final FabricUnderTest fabric;

  protected PlatformConformance(NodeUnderTest node) {
    super(node);
    fabric = node.fabric();
  }

  @Test
  void rulesThatThePlatformHasForgottenAreTakenBack() {
    Rule rule = rule("10.0.0.1", Treatment.output(1));
    apply(rule);
    fabric.until(() -> assertThat(fabric.tables().rules("s1")).hasSize(1));
    fabric.tables().forgetStoredRules();
    assertThat(entry(rule)).isEmpty();

    CompletableFuture<Boolean> removed = platform.rules().removeUnknown(List.of(rule));

    fabric.until(() -> assertThat(removed).isCompletedWithValue(true));
    assertThat(fabric.tables().rules("s1")).isEmpty();
  }

  @Test
  void refusedMetersAreReported() {
    List<String> reasons = new CopyOnWriteArrayList<>();
    fabric.tables().setMeterSpace("s1", 1);
    long id = platform.meters().add(S1, 7_000, 2_000, reasons::add);
    fabric.until(() -> assertThat(fabric.tables().meterCount("s1")).isEqualTo(1));
    assertThat(reasons).isEmpty();
    platform.meters().add(S1, 7_000, 2_000, reasons::add);
    fabric.until(() -> assertThat(reasons).hasSize(1));

    List<Long> unchanged = new CopyOnWriteArrayList<>();
    platform.meters().setRefusalListener((datapath, meter) -> unchanged.add(meter));
    fabric.tables().loseMeter("s1", id);
    platform.meters().change(S1, id, 5_000, 2_000);
    fabric.until(() -> assertThat(unchanged).containsExactly(id));

    fabric.tables().setMeterSpace("s2", 0);
    assertThatThrownBy(() -> platform.meters().add(datapath("s2"), 7_000, 2_000, reasons::add))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void metersOfAnotherMastersSwitchAreNotChanged() {
    long id = platform.meters().add(S1, 7_000, 2_000, refused -> {});
    fabric.until(() -> assertThat(fabric.tables().meterCount("s1")).isEqualTo(1));
    fabric.loseMastership("s1");
    assertThat(platform.meters().change(S1, id, 5_000, 2_000)).isFalse();
    assertThat(fabric.tables().meterRates("s1")).containsExactly(7_000L);
  }

  @Test
  void packetsReachListenersByStageUntilOneTakesThem() {
    List<String> received = new CopyOnWriteArrayList<>();
    boolean[] taken = new boolean[1];
    byte[] frame = Frames.packet(MAC, "10.0.0.1", "10.0.0.5");
    PacketIn.Listener unknown =
        packet -> {
          received.add("unknown " + packet.port());
          return true;
        };
    PacketIn.Listener copies =
        packet -> {
          assertThat(Arrays.equals(packet.frame(), frame)).isTrue();
          received.add("copies " + packet.port());
          return taken[0];
        };
    platform.packetIn().addListener(PacketIn.Stage.UNKNOWN, unknown);
    platform.packetIn().addListener(PacketIn.Stage.COPIES, copies);

    fabric.receive("s1/1", frame);
    taken[0] = true;
    fabric.receive("s1/2", frame);
    platform.packetIn().removeListener(copies);
    platform.packetIn().removeListener(unknown);
    fabric.receive("s1/1", frame);

    assertThat(received)
        .containsExactly(
            "copies " + port("s1/1"), "unknown " + port("s1/1"), "copies " + port("s1/2"));
  }

  @Test
  void framesLeaveByThePortNamed() {
    byte[] frame = Frames.packet(MAC, "10.0.0.1", "10.0.0.5");
    platform.packetOut().emit(port("s2/1"), frame);
    fabric.until(() -> assertThat(fabric.emittedAt("s2/1")).containsExactly(frame));
  }

  @Test
  void switchesComeAndGo() {
    List<String> events = new CopyOnWriteArrayList<>();
    SwitchEvents.Listener listener =
        new SwitchEvents.Listener() {
          @Override
          public void returned(String datapath) {
            events.add("returned " + datapath);
          }

          @Override
          public void gone(String datapath) {
            events.add("gone " + datapath);
          }

          @Override
          public void masterChanged(String datapath) {
            // Seen by mastership.
          }
        };
    platform.switchEvents().addListener(listener);
    assertThat(platform.switches().connected()).containsOnly(S1, datapath("s2"));
    assertThat(platform.switches().ports(S1))
        .extracting(SwitchPort::id)
        .containsOnly(port("s1/1"), port("s1/2"), port("s1/5"));

    assertAdvances(platform.switches().epoch(), () -> fabric.disconnect("s1"));
    fabric.until(() -> assertThat(events).contains("gone " + S1));
    assertThat(platform.switches().isConnected(S1)).isFalse();
    assertThat(platform.switches().connected()).containsOnly(datapath("s2"));

    assertAdvances(platform.switches().epoch(), () -> fabric.connect("s1"));
    fabric.until(() -> assertThat(events).contains("returned " + S1));
    assertThat(platform.switches().isConnected(S1)).isTrue();
    assertThat(platform.switches().hasPort(port("s1/5"))).isTrue();
    assertThat(platform.switches().hasPort(port("s1/9"))).isFalse();
    platform.switchEvents().removeListener(listener);
  }

  @Test
  void takeoversAreNumbered() {
    long before = platform.mastership().takeover(S1);
    assertAdvances(platform.mastership().epoch(), () -> fabric.loseMastership("s1"));
    assertThat(platform.mastership().isLocal(S1)).isFalse();
    assertThat(platform.mastership().masterOf(S1)).isPresent();
    assertThat(platform.mastership().isLocal(datapath("s2"))).isTrue();

    fabric.gainMastership("s1");

    fabric.until(() -> assertThat(platform.mastership().isLocal(S1)).isTrue());
    assertThat(platform.mastership().masterOf(S1)).contains(platform.nodes().local());
    assertThat(platform.nodes().all()).contains(platform.nodes().local());
    assertThat(platform.mastership().takeover(S1)).isNotEqualTo(before);
  }

  @Test
  void sightingsAreReportedAndLocated() {
    List<HostSightings.Sighting> seen = new CopyOnWriteArrayList<>();
    HostSightings.Listener listener =
        new HostSightings.Listener() {
          @Override
          public void seen(HostSightings.Sighting sighting) {
            seen.add(sighting);
          }

          @Override
          public void gone(HostSightings.Sighting sighting) {
            // None goes here.
          }
        };
    platform.hostSightings().addListener(listener);
    fabric.seen(MAC, "s1/1", "10.0.0.1");
    fabric.seen(MAC, "s2/1", "10.0.0.1");
    fabric.until(
        () ->
            assertThat(seen)
                .extracting(HostSightings.Sighting::port)
                .containsExactly(port("s1/1"), port("s2/1")));
    assertThat(platform.hostSightings().locate(MacAddress.parse(MAC))).contains(port("s2/1"));
    assertThat(platform.hostSightings().macOf(IP)).contains(MacAddress.parse(MAC));
    platform.hostSightings().removeListener(listener);
  }
}
