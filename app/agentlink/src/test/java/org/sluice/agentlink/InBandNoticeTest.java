// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.Notice;

/** Holds the encoder to the vectors that the agent's decoder is held to. */
class InBandNoticeTest {
  private static final EndpointId VM = EndpointId.of(HostId.of("h1"), "vm0");
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final IpAddress SOURCE = IpAddress.parse("10.0.0.5");
  private static final byte[] KEY = new byte[32];

  private static JsonNode vectors() throws IOException {
    try (InputStream in =
        InBandNoticeTest.class.getResourceAsStream("/org/sluice/vectors/in-band/notices.json")) {
      return new ObjectMapper().readTree(in);
    }
  }

  private static Stream<Arguments> named(String format) throws IOException {
    return StreamSupport.stream(vectors().get(format).spliterator(), false)
        .map(vector -> Arguments.of(vector.get("name").asText(), vector));
  }

  static Stream<Arguments> v1() throws IOException {
    return named("v1");
  }

  static Stream<Arguments> sdnGcc() throws IOException {
    return named("sdnGcc");
  }

  private static InBandPath path(JsonNode vector) {
    return InBandPath.of(
        vector.get("protocol").asInt(),
        MacAddress.parse(vector.get("sourceMac").asText()),
        MacAddress.parse(vector.get("destinationMac").asText()),
        IpAddress.parse(vector.get("source").asText()),
        IpAddress.parse(vector.get("destination").asText()));
  }

  private static String hex(byte[] bytes) {
    return String.format("%0" + 2 * bytes.length + "x", new BigInteger(1, bytes));
  }

  private static byte[] bytes(String hex) {
    byte[] bytes = new BigInteger("01" + hex, 16).toByteArray();
    return Arrays.copyOfRange(bytes, 1, bytes.length);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("v1")
  void signedNotices(String name, JsonNode vector) {
    Set<IpAddress> destinations = new LinkedHashSet<>();
    vector.get("destinations").forEach(ip -> destinations.add(IpAddress.parse(ip.asText())));
    Notice notice =
        Notice.of(
            PortId.parse(vector.get("port").asText()),
            VM,
            vector.get("marks").asDouble(),
            vector.get("periodNanos").asLong(),
            vector.get("shareBitsPerSecond").asLong(),
            vector.get("capacityBitsPerSecond").asLong(),
            destinations,
            vector.get("packets").asDouble());
    NoticeSigner signer =
        new NoticeSigner(
            (int) vector.get("keyId").asLong(),
            bytes(vector.get("key").asText()),
            vector.get("sequence").asLong());

    byte[] frame = signer.frame(path(vector), notice, vector.get("term").asLong());

    assertThat(hex(frame)).isEqualTo(vector.get("frame").asText());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sdnGcc")
  void sdnGccNotices(String name, JsonNode vector) {
    byte[] frame = SdnGccNotice.frame(path(vector), vector.get("marks").asDouble());

    assertThat(hex(frame)).isEqualTo(vector.get("frame").asText());
  }

  private static Notice notice(PortId port, long periodNanos, long capacity, String... ips) {
    Set<IpAddress> destinations = new LinkedHashSet<>();
    Arrays.stream(ips).map(IpAddress::parse).forEach(destinations::add);
    return Notice.of(port, VM, 1, periodNanos, 1, capacity, destinations);
  }

  private static String[] addresses(String format, int count) {
    String[] all = new String[count];
    Arrays.setAll(all, i -> String.format(format, i + 1));
    return all;
  }

  @Test
  void noticeThatCannotBeSentInBandHasAReason() {
    assertThat(NoticeSigner.obstacle(notice(PORT, 5000, 1, addresses("10.0.0.%d", 32)))).isEmpty();
    assertThat(NoticeSigner.obstacle(notice(PORT, 5000, 1, addresses("10.0.0.%d", 33))))
        .hasValueSatisfying(reason -> assertThat(reason).contains("33", "room for 32"));
    assertThat(NoticeSigner.obstacle(notice(PORT, 5000, 1, addresses("fd00::%x", 8)))).isEmpty();
    assertThat(NoticeSigner.obstacle(notice(PORT, 5000, 1, addresses("fd00::%x", 9))))
        .hasValueSatisfying(reason -> assertThat(reason).contains("room for 8"));
    assertThat(NoticeSigner.obstacle(notice(PORT, 5000, 1))).isPresent();
    assertThat(NoticeSigner.obstacle(notice(PortId.parse("netconf:a/5"), 5000, 1, "10.0.0.5")))
        .hasValueSatisfying(reason -> assertThat(reason).contains("netconf:a/5"));
    assertThat(NoticeSigner.obstacle(notice(PortId.of(PORT.datapath(), 0), 5000, 1, "10.0.0.5")))
        .isPresent();
    assertThat(NoticeSigner.obstacle(notice(PORT, 999, 1, "10.0.0.5"))).isPresent();
    assertThat(NoticeSigner.obstacle(notice(PORT, 5000, 0, "10.0.0.5"))).isPresent();
    Notice notANumber = Notice.of(PORT, VM, Double.NaN, 5000, 1, 1, Set.of(SOURCE));
    assertThat(NoticeSigner.obstacle(notANumber)).isPresent();
    InBandPath path =
        InBandPath.of(
            253,
            MacAddress.parse("0a:53:6c:75:69:63"),
            MacAddress.parse("02:00:00:00:01:01"),
            SOURCE,
            IpAddress.parse("10.0.0.1"));
    assertThatThrownBy(() -> new NoticeSigner(1, KEY).frame(path, notANumber, 1))
        .hasMessageContaining("out of range");
  }

  @Test
  void noticesHaveConsecutiveSequenceNumbers() {
    NoticeSigner signer = new NoticeSigner(1, KEY);
    InBandPath path =
        InBandPath.of(
            253,
            MacAddress.parse("0a:53:6c:75:69:63"),
            MacAddress.parse("02:00:00:00:01:01"),
            SOURCE,
            IpAddress.parse("10.0.0.1"));
    Notice notice = notice(PORT, 5000, 1, "10.0.0.5");

    assertThat(hex(signer.frame(path, notice, 1)).substring(2 * 50, 2 * 58))
        .isEqualTo("0000000000000001");
    assertThat(hex(signer.frame(path, notice, 1)).substring(2 * 50, 2 * 58))
        .isEqualTo("0000000000000002");
  }

  @Test
  void pathJoinsTwoAddressesOfOneFamily() {
    MacAddress mac = MacAddress.parse("02:00:00:00:01:01");
    assertThatThrownBy(() -> InBandPath.of(253, mac, mac, SOURCE, IpAddress.parse("fd00::1")))
        .hasMessageContaining("10.0.0.5");
    assertThatThrownBy(() -> InBandPath.of(253, mac, mac, SOURCE, SOURCE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> InBandPath.of(256, mac, mac, SOURCE, IpAddress.parse("10.0.0.1")))
        .hasMessageContaining("256");
  }
}
