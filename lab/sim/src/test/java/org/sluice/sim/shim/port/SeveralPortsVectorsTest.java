// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.shim.vector.VectorValues.flag;
import static org.sluice.sim.shim.vector.VectorValues.map;
import static org.sluice.sim.shim.vector.VectorValues.number;
import static org.sluice.sim.shim.vector.VectorValues.whole;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;
import org.sluice.sim.shim.vector.VectorFile;
import org.sluice.sim.shim.vector.VectorValues;

/** Runs all vectors of several congested ports, which the agent's Go endpoint runs too. */
class SeveralPortsVectorsTest {
  private static final String DIRECTORY = "several-ports/";

  static Stream<String> vectors() {
    return VectorValues.listedIn(DIRECTORY + "index.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void vectorsHold(String name) {
    Map<String, Object> vector = VectorFile.read(DIRECTORY + name);
    TwoTimeScaleParameters parameters = VectorValues.twoTimeScale(map(vector.get("parameters")));
    EndpointControl control =
        new EndpointControl(
            () -> new TwoTimeScale(parameters), new Bounds(0, 0, 1), parameters.staleNanos());
    List<?> events = (List<?>) vector.get("events");
    int next = 0;
    for (Object element : (List<?>) vector.get("expected")) {
      Map<String, Object> expected = map(element);
      long at = whole(expected, "tNanos");
      while (next < events.size() && whole(map(events.get(next)), "tNanos") <= at) {
        play(control, map(events.get(next++)));
      }
      check(control, vector, expected);
    }
    assertThat(next).as("events played").isEqualTo(events.size());
  }

  private static void check(
      EndpointControl control, Map<String, Object> vector, Map<String, Object> expected) {
    String when = expected.get("tNanos") + " ns: " + expected.get("comment");
    map(expected.get("ports"))
        .forEach(
            (port, values) -> {
              int index = indexOf(control, port);
              Map<String, Object> wanted = map(values);
              double share = number(wanted, "ceShare");
              assertThat(control.ceShare(index))
                  .as("mark share of %s at %s", port, when)
                  .isCloseTo(share, within(number(vector, "toleranceRelative") * share));
              assertThat(control.limitBitsPerSecond(index))
                  .as("limit of %s at %s", port, when)
                  .isCloseTo(
                      whole(wanted, "limitBitsPerSecond"),
                      within(whole(vector, "toleranceBitsPerSecond")));
              assertThat(control.isActive(index))
                  .as("%s is active at %s", port, when)
                  .isEqualTo(!flag(wanted, "asleep"));
            });
    map(expected.get("obeyed"))
        .forEach(
            (destination, port) -> {
              int index = control.governing(Integer.parseInt(destination));
              assertThat(index)
                  .as("what governs %s at %s", destination, when)
                  .isEqualTo("none".equals(port) ? -1 : indexOf(control, (String) port));
            });
  }

  private static void play(EndpointControl control, Map<String, Object> event) {
    switch ((String) event.get("type")) {
      case "policy":
        control.setBounds(
            new Bounds(
                whole(event, "ceilingBitsPerSecond"),
                whole(event, "guaranteeBitsPerSecond"),
                number(event, "weight")));
        break;
      case "unitShare":
        int[] behind =
            texts(event.get("destinations")).stream().mapToInt(Integer::parseInt).toArray();
        assertThat(
                control.setShare(
                    portOf(event),
                    shareOf(event),
                    behind,
                    EndpointControl.NO_FLOOR,
                    number(event, "weight", 0),
                    number(event, "pairPart", 1)))
            .isTrue();
        break;
      case "session":
        control.setSession(flag(event, "open"));
        break;
      case "relayedShare":
        assertThat(
                control.takeRelayedShare(portOf(event), shareOf(event), (int) whole(event, "to")))
            .isTrue();
        break;
      case "feedback":
        control.feedback(
            (int) whole(event, "to"), whole(event, "packets"), whole(event, "cePackets"));
        break;
      case "sent":
        control.sent(whole(event, "tNanos"), (int) whole(event, "to"), whole(event, "bytes"));
        break;
      case "tick":
        int backlogged = 0;
        for (String backloggedPort : texts(event.get("backlogged"))) {
          int index = indexOf(control, backloggedPort);
          backlogged |= index < 0 ? 0 : 1 << index;
        }
        control.step(whole(event, "tNanos"), backlogged);
        break;
      default:
        throw new IllegalArgumentException("event " + event);
    }
  }

  private static PortShare shareOf(Map<String, Object> event) {
    return new PortShare(
        whole(event, "unitShareBitsPerSecond"),
        flag(event, "expired"),
        number(event, "lentPart", 0),
        flag(event, "equalCost"));
  }

  private static PortId portOf(Map<String, Object> event) {
    return portId((String) event.get("port"));
  }

  private static int indexOf(EndpointControl control, String port) {
    for (int i = 0; i < EndpointControl.MAX_PORTS; i++) {
      if (portId(port).equals(control.port(i))) {
        return i;
      }
    }
    return -1;
  }

  private static PortId portId(String port) {
    String[] parts = port.split("/");
    return PortId.of(parts[0], Long.parseLong(parts[1]));
  }

  @SuppressWarnings("unchecked")
  private static List<String> texts(Object list) {
    return (List<String>) list;
  }
}
