// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;

class FlowSyntaxTest {

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.5:5001, 10.0.0.1:* -> 10.0.0.5:5001",
    "10.0.0.1:40000, 10.0.0.5, 10.0.0.1:40000 -> 10.0.0.5:*",
    "10.0.0.1:*, 10.0.0.5:1, 10.0.0.1:* -> 10.0.0.5:1",
    "fd00::1, [fd00::5]:80, fd00::1:* -> fd00::5:80",
    "[fd00::1], [fd00::5]:*, fd00::1:* -> fd00::5:*",
  })
  void readsFlows(String source, String destination, String flow) throws SluiceException {
    assertThat(FlowSyntax.flow(source, destination)).hasToString(flow);
  }

  @ParameterizedTest
  @CsvSource({
    "here, 10.0.0.5, source 'here'",
    "10.0.0.1:0, 10.0.0.5, source port '0'",
    "10.0.0.1:, 10.0.0.5, source port ",
    "10.0.0.1, 10.0.0.5:70000, destination port '70000'",
    "10.0.0.1, 10.0.0.1, destination '10.0.0.1'",
    "10.0.0.1, fd00::5, destination 'fd00::5'",
    "[10.0.0.1, 10.0.0.5, source '[10.0.0.1'",
    "[], 10.0.0.5, source '[]'",
  })
  void rejectsInvalidFlows(String source, String destination, String line) {
    assertThat(refusal(() -> FlowSyntax.flow(source, destination))).startsWith(line.strip());
  }

  @ParameterizedTest
  @CsvSource({"400000, 400000", "400kB, 400000", "1.5 MB, 1500000", "2GB, 2000000000", "7B, 7"})
  void readsSizes(String typed, long bytes) throws SluiceException {
    assertThat(FlowSyntax.bytes(typed)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"300ms, 300000000", "2.5s, 2500000000", "1min, 60000000000", "250us, 250000"})
  void readsTimes(String typed, long nanos) throws SluiceException {
    assertThat(FlowSyntax.nanos(typed)).isEqualTo(nanos);
  }

  @ParameterizedTest
  @CsvSource({
    "much, size 'much': This is not an amount. Use bytes such as 400000",
    "-1, size '-1': This is not an amount. Use bytes such as 400000",
    "1.5B, size '1.5B': This is too much",
    "10kb, size '10kb': This is not an amount. Use bytes such as 400000",
    "99999999999999999999, size '99999999999999999999': This is too much",
  })
  void rejectsInvalidSizes(String typed, String line) {
    assertThat(refusal(() -> FlowSyntax.bytes(typed))).startsWith(line);
  }

  @Test
  void refusesATimeWithoutUnit() {
    assertThat(refusal(() -> FlowSyntax.nanos("300")))
        .isEqualTo(
            "due '300': This is not an amount. Use a time from now such as 300ms, 2.5s or 1min.");
  }

  @Test
  void rejectionHasTheEarliestFeasibleDeadline() {
    assertThat(Refusals.line(FlowAddCommand.cannotBeMet("300ms", OptionalLong.of(412_000_000))))
        .isEqualTo(
            "due '300ms': The deadline cannot be met. The earliest that can is 412 ms; --force"
                + " registers it all the same.");
    assertThat(Refusals.line(FlowAddCommand.cannotBeMet("300ms", OptionalLong.empty())))
        .contains("None can: nothing is left to promise");
  }

  @Test
  void flowIsListedWithAddressesAndPorts() throws SluiceException {
    FlowStatus flow =
        FlowStatus.builder()
            .id(7)
            .flow(FlowSyntax.flow("fd00::1", "[fd00::5]:80"))
            .tenant(TenantId.of("t1"))
            .sizeBytes(400_000)
            .remainingBytes(1_000)
            .deadline(Instant.parse("2026-01-01T00:00:00.300Z"))
            .dueInNanos(5_250_000)
            .promised(true)
            .state(FlowState.NEVER_SENT)
            .build();
    assertThat(Listings.FLOWS.table(List.of(flow)).lines().skip(1).map(String::strip))
        .containsExactly(
            "7  t1      [fd00::1]:*  [fd00::5]:80      400000        1000"
                + "  2026-01-01T00:00:00.300Z  5.25 ms  yes       never-sent");
    assertThat(Listings.FLOWS.json(List.of(flow)))
        .hasToString(
            "{\"flows\":[{\"id\":7,\"tenant\":\"t1\",\"source\":\"fd00::1\","
                + "\"sourcePort\":0,\"destination\":\"fd00::5\",\"destinationPort\":80,"
                + "\"sizeBytes\":400000,\"remainingBytes\":1000,"
                + "\"deadline\":\"2026-01-01T00:00:00.300Z\",\"dueInMillis\":5.25,"
                + "\"promised\":true,\"promiseLost\":false,\"state\":\"never-sent\"}]}");
  }

  private static String refusal(ThrowingCallable call) {
    return Refusals.line(catchThrowableOfType(SluiceException.class, call));
  }
}
