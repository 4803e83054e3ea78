// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.EndpointSample;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.Feature;
import org.sluice.agentlink.proto.GroupSample;
import org.sluice.agentlink.proto.Hello;
import org.sluice.agentlink.proto.Nic;
import org.sluice.agentlink.proto.Observation;
import org.sluice.agentlink.proto.PairSample;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;

/** Any message of an agent is decoded or refused with a reason; nothing else happens. */
class UntrustedInputTest {
  private final HostCounters counters = new HostCounters();
  private final AgentMessageDecoder decoder =
      new AgentMessageDecoder(HostId.of("h1"), Set.of("of:0000000000000001"), counters);

  static Stream<Arguments> malformedHellos() {
    return Stream.of(
        hello("uplink.mac", h -> h.getUplinkBuilder().setMac(ByteString.EMPTY)),
        hello(
            "peer_public_key has 31 bytes; an X25519 public key has 32",
            h -> h.setPeerPublicKey(ByteString.copyFrom(new byte[31]))),
        hello("peer_public_key is 0", h -> h.setPeerPublicKey(ByteString.copyFrom(new byte[32]))),
        hello("capacity_bits_per_second", h -> h.getUplinkBuilder().setCapacityBitsPerSecond(0)),
        hello("capacity_bits_per_second", h -> h.getUplinkBuilder().setCapacityBitsPerSecond(-1)),
        hello(
            "uplink.interface",
            h -> h.setUplink(Nic.getDefaultInstance().toBuilder().setCapacityBitsPerSecond(1))),
        hello("endpoints[].interface", h -> h.getEndpointsBuilder(0).setInterface("")),
        hello("endpoints[].interface", h -> h.getEndpointsBuilder(0).setInterface("a/b")),
        hello("endpoints[].interface", h -> h.getEndpointsBuilder(0).setInterface("vm\u001b")),
        hello("endpoints[].interface", h -> h.getEndpointsBuilder(0).setInterface("v".repeat(21))),
        hello("occurs twice", h -> h.addEndpoints(h.getEndpoints(0))),
        hello("endpoints[].mac", h -> h.getEndpointsBuilder(0).setMac(bytes(7))),
        hello("endpoints[].ips has 5", h -> h.getEndpointsBuilder(0).addIps(bytes(5))),
        hello(
            "endpoints[].metadata.bridge 'a/b'",
            h -> h.getEndpointsBuilder(0).getMetadataBuilder().setBridge("a/b")),
        hello(
            "endpoints[].metadata.vlan '-1'",
            h -> h.getEndpointsBuilder(0).getMetadataBuilder().setVlan(-1)),
        hello(
            "endpoints[].metadata.domain 'vm?",
            h -> h.getEndpointsBuilder(0).getMetadataBuilder().setDomain("vm\u001b")),
        hello(
            "endpoints[].metadata.labels",
            h -> h.getEndpointsBuilder(0).getMetadataBuilder().putLabels("a b", "")),
        hello(
            "features",
            h -> {
              for (int i = 0; i <= HelloDecoder.MAX_FEATURES; i++) {
                h.addFeatures(Feature.getDefaultInstance());
              }
            }),
        hello(
            "endpoints has",
            h -> {
              for (int i = 0; i <= OwnEndpoints.MAX_ENDPOINTS; i++) {
                h.addEndpoints(Endpoint.getDefaultInstance());
              }
            }));
  }

  private static Arguments hello(String named, Consumer<Hello.Builder> spoil) {
    return Arguments.of(named, spoil);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformedHellos")
  void endsTheSessionAtAMalformedHello(String named, Consumer<Hello.Builder> spoil) {
    Hello.Builder hello = TestAgent.helloBody("h1");
    spoil.accept(hello);
    assertThatThrownBy(() -> decoder.hello(hello.build()))
        .isInstanceOfSatisfying(
            BadMessageException.class,
            e -> {
              assertThat(e).hasMessageContaining(named);
              assertThat(e.closing().orElseThrow().getCode())
                  .isEqualTo(Status.Code.INVALID_ARGUMENT);
            });
  }

  static Stream<Arguments> malformedObservations() {
    return Stream.of(
        observation("interval_nanos is 0", o -> o.setIntervalNanos(0)),
        observation("interval_nanos", o -> o.setIntervalNanos(Long.MIN_VALUE)),
        observation("pairs[].source has 3", o -> o.getPairsBuilder(0).setSource(bytes(3))),
        observation("pairs[].destination", o -> o.getPairsBuilder(0).clearDestination()),
        observation("mixes", o -> o.getPairsBuilder(0).setDestination(bytes(16))),
        observation("sent_packets", o -> o.getPairsBuilder(0).setSentPackets(-1)),
        observation("sent_bytes", o -> o.getPairsBuilder(0).setSentBytes(-1)),
        observation("received_bytes", o -> o.getPairsBuilder(0).setReceivedBytes(-1)),
        observation("ce_packets is 2, more", o -> o.getPairsBuilder(0).setCePackets(2)),
        observation("backlog", o -> o.getEndpointsBuilder(0).setBacklogBytes(-1)),
        observation("dropped", o -> o.getEndpointsBuilder(0).setDroppedPackets(-1)),
        group("ce_share", g -> g.setCeShare(Double.NaN)),
        group("ce_share", g -> g.setCeShare(1.001)),
        group("groups[].rate", g -> g.setRateBitsPerSecond(-1)),
        group("groups[].sent", g -> g.setSentBytes(-1)),
        group("groups[].port is 'x'", g -> g.setPort("x")),
        group("groups[].port is 's?/1'", g -> g.setPort("s\u001b/1")),
        group("groups[].port is 's", g -> g.setPort("s".repeat(1000) + "/1")),
        observation(
            "endpoints[].groups has",
            o -> {
              for (int i = 0; i < ObservationDecoder.MAX_GROUPS; i++) {
                o.getEndpointsBuilder(0).addGroups(GroupSample.getDefaultInstance());
              }
            }));
  }

  private static Arguments group(String named, Consumer<GroupSample.Builder> spoil) {
    return observation(named, o -> spoil.accept(o.getEndpointsBuilder(0).getGroupsBuilder(0)));
  }

  private static Arguments observation(String named, Consumer<Observation.Builder> spoil) {
    return Arguments.of(named, spoil);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformedObservations")
  void ignoresAMalformedObservationEntirely(String named, Consumer<Observation.Builder> spoil) {
    Observation.Builder observation = observation();
    spoil.accept(observation);
    assertThatThrownBy(() -> decode(observation.build(), 0))
        .isInstanceOfSatisfying(
            BadMessageException.class,
            e -> {
              assertThat(e).hasMessageContaining(named);
              assertThat(e.closing()).isEmpty();
            });
  }

  @Test
  void ignoresOnlySamplesOfForeignEndpoints() throws Exception {
    decoder.hello(TestAgent.helloBody("h1").build());
    Observation.Builder observation = observation();
    PairSample.Builder foreign =
        PairSample.newBuilder()
            .setSource(TestAgent.ip(10, 9, 9, 9))
            .setDestination(TestAgent.ip(10, 9, 9, 8));
    observation.addPairs(foreign.clone().setReceivedPackets(5).setCePackets(5));
    observation.addPairs(foreign.clone().setSentBytes(5));
    observation.addEndpoints(EndpointSample.newBuilder().setInterface("vm7"));
    HostObservation read = decode(observation.build(), 42);
    assertThat(read.pairs()).hasSize(1);
    assertThat(read.endpoints()).hasSize(1);
    assertThat(read.receivedNanos()).isEqualTo(42);
    assertThat(counters.foreignSamples.sum()).isEqualTo(3);
  }

  @Test
  void readsPathGroupsOfCongestedPorts() throws Exception {
    decoder.hello(TestAgent.helloBody("h1").build());
    Observation.Builder observation = observation();
    observation.getEndpointsBuilder(0).addGroups(GroupSample.newBuilder().setRateBitsPerSecond(50));
    HostObservation read = decode(observation.build(), 0);
    assertThat(read.endpoints().get(0).groups())
        .containsExactly(
            org.sluice.api.link.GroupSample.of(
                PortId.parse("of:0000000000000001/5"), 12, 0.5, 3000));
  }

  @Test
  void listsMissingFeaturesWithTheirCost() throws Exception {
    Hello.Builder hello = TestAgent.helloBody("h1");
    hello.addFeatures(Feature.newBuilder().setName("htb").setPresent(true));
    hello.addFeatures(Feature.newBuilder().setName("tcx").setDetail("slower attach"));
    HostHello read = decoder.hello(hello.build());
    assertThat(read.missingFeatures()).containsExactly("tcx: slower attach");
  }

  @Test
  void refusesAnUnknownKindOfEvent() {
    assertThatThrownBy(() -> decode(Event.newBuilder().setKindValue(99).build()))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("99");
  }

  @Property(tries = 3000)
  void damagedMessagesAreConvertedOrRejected(
      @ForAll @Size(min = 1, max = 12) byte[] damage, @ForAll @IntRange(max = 199) int where)
      throws Exception {
    byte[] wire =
        AgentMessage.newBuilder()
            .setObservation(observation())
            .build()
            .toByteString()
            .concat(TestAgent.hello("h1").build().toByteString())
            .toByteArray();
    for (int i = 0; i < damage.length; i++) {
      wire[(where + 7 * i) % wire.length] ^= damage[i];
    }
    decoder.hello(TestAgent.helloBody("h1").build());
    AgentMessage message;
    try {
      message = AgentMessage.parseFrom(wire);
    } catch (InvalidProtocolBufferException e) {
      return; // gRPC ends the call.
    }
    try {
      decode(message.getObservation(), 0);
      decoder.hello(message.getHello());
      decode(message.getEvent());
    } catch (BadMessageException e) {
      assertThat(e.getMessage()).isNotBlank().matches("\\p{Print}*");
    }
  }

  private HostObservation decode(Observation observation, long receivedNanos)
      throws BadMessageException {
    AgentMessage message = AgentMessage.newBuilder().setObservation(observation).build();
    return decoder.decode(message, receivedNanos).observation();
  }

  private HostEvent decode(Event event) throws BadMessageException {
    return decoder.decode(AgentMessage.newBuilder().setEvent(event).build(), 0).event();
  }

  private static Observation.Builder observation() {
    return Observation.newBuilder()
        .setIntervalNanos(2_500_000)
        .addPairs(
            PairSample.newBuilder()
                .setSource(TestAgent.OWN_IP)
                .setDestination(TestAgent.ip(10, 0, 0, 5))
                .setSentPackets(3)
                .setSentBytes(4500)
                .setReceivedPackets(0)
                .setCePackets(0))
        .addEndpoints(
            EndpointSample.newBuilder()
                .setInterface("vm0")
                .setRateBitsPerSecond(1)
                .addGroups(
                    GroupSample.newBuilder()
                        .setPort("of:0000000000000001/5")
                        .setRateBitsPerSecond(12)
                        .setCeShare(0.5)
                        .setSentBytes(3000)));
  }

  private static ByteString bytes(int length) {
    return ByteString.copyFrom(new byte[length]);
  }
}
