// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.shim.vector.VectorValues.fill;
import static org.sluice.sim.shim.vector.VectorValues.flag;
import static org.sluice.sim.shim.vector.VectorValues.map;
import static org.sluice.sim.shim.vector.VectorValues.number;
import static org.sluice.sim.shim.vector.VectorValues.twoTimeScale;
import static org.sluice.sim.shim.vector.VectorValues.whole;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.sim.shim.vector.VectorFile;
import org.sluice.sim.shim.vector.VectorValues;

/** Runs all control-law vectors, which the agent's Go laws run too. */
class ControlLawVectorsTest {
  private final Interval interval = new Interval();
  private double lentPart;
  private boolean ticked;
  private long lastTick;

  static Stream<String> vectors() {
    return VectorValues.listedIn("index.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void vectorsHold(String name) {
    Map<String, Object> vector = VectorFile.read(name);
    HostLaw law = law((String) vector.get("law"), map(vector.get("parameters")));
    double tolerance = number(vector, "toleranceRelative");
    List<?> events = (List<?>) vector.get("events");
    int next = 0;
    for (Object element : (List<?>) vector.get("expected")) {
      Map<String, Object> expected = map(element);
      long at = whole(expected, "tNanos");
      while (next < events.size() && whole(map(events.get(next)), "tNanos") <= at) {
        play(law, map(events.get(next++)));
      }
      double rate = number(expected, "rateBitsPerSecond");
      assertThat(law.limitBitsPerSecond())
          .as("at %d ns: %s", at, expected.get("comment"))
          .isCloseTo(rate, within(tolerance * rate));
      if (expected.containsKey("idle")) {
        assertThat(law.isIdle(at)).as("idle at %d ns", at).isEqualTo(flag(expected, "idle"));
      }
    }
    assertThat(next).as("events played").isEqualTo(events.size());
  }

  private static HostLaw law(String name, Map<String, Object> parameters) {
    switch (name) {
      case "two-time-scale":
        return new TwoTimeScale(twoTimeScale(parameters));
      case "sdn-gcc":
        return new SdnGcc(fill(SdnGccParameters.class, parameters));
      case "hygenicc":
        return new HyGenIcc(fill(HyGenIccParameters.class, parameters));
      default:
        throw new IllegalArgumentException("law " + name);
    }
  }

  private void play(HostLaw law, Map<String, Object> event) {
    long now = whole(event, "tNanos");
    switch ((String) event.get("type")) {
      case "policy":
        law.setBounds(
            new Bounds(
                whole(event, "ceilingBitsPerSecond"),
                whole(event, "guaranteeBitsPerSecond"),
                number(event, "weight")));
        break;
      case "unitShare":
        lentPart = number(event, "lentPart", 0);
        law.setShare(
            new PortShare(
                whole(event, "unitShareBitsPerSecond"),
                flag(event, "expired"),
                lentPart,
                flag(event, "equalCost")));
        break;
      case "feedback":
        interval.packets += whole(event, "packets");
        interval.cePackets += whole(event, "cePackets");
        break;
      case "tick":
        interval.nowNanos = now;
        interval.elapsedNanos = ticked ? now - lastTick : 0;
        interval.sentBytes = whole(event, "sentBytes");
        interval.backlogged = flag(event, "backlogged");
        interval.lentPart = lentPart;
        ticked = true;
        lastTick = now;
        assertThat(law.step(interval)).isEqualTo(Math.round(law.limitBitsPerSecond()));
        interval.clear();
        break;
      case "notice":
        law.takeNotice(
            now,
            new PortNotice(
                number(event, "marks"),
                whole(event, "periodNanos"),
                whole(event, "shareBitsPerSecond"),
                whole(event, "capacityBitsPerSecond"),
                event.containsKey("packets") ? number(event, "packets") : 0));
        break;
      default:
        throw new IllegalArgumentException("event " + event);
    }
  }
}
