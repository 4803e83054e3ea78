// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.mastership.MastershipService;
import org.sluice.api.PortId;
import org.sluice.onos.testing.OnosWorld;

/** Over ONOS's real MastershipManager, whose answers about terms are counted. */
class MasteredPortsTest {
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final PortId NEIGHBOUR = PortId.parse("of:0000000000000001/6");

  private final OnosWorld world = new OnosWorld();
  private final AtomicInteger asked = new AtomicInteger();
  private final MasteredPorts ports = new MasteredPorts(counted());

  @BeforeEach
  void start() {
    world.switches.connect("s1", 5, 6);
    ports.start();
  }

  @AfterEach
  void stop() {
    ports.stop();
    world.close();
  }

  private MastershipService counted() {
    return (MastershipService)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MastershipService.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getMastershipFor")) {
                asked.incrementAndGet();
              }
              return invoke(method, arguments);
            });
  }

  private Object invoke(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(world.mastership, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void onosIsAskedOnceForAllDecisionsAboutASwitch() {
    long term = ports.term(PORT);
    assertThat(ports.term(PORT)).isEqualTo(term);
    assertThat(ports.term(NEIGHBOUR)).isEqualTo(term);
    assertThat(asked).hasValue(1);
  }

  @Test
  void anotherTakeoverIsAnotherTerm() {
    long term = ports.term(PORT);
    world.loseMastership("s1");
    world.gainMastership("s1");
    until(() -> assertThat(ports.term(PORT)).isGreaterThan(term));
  }
}
