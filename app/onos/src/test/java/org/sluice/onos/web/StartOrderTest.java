// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StartOrderTest {
  private static final StartOrder.WebBundle REST = new StartOrder.WebBundle("rest", "/rest");
  private static final StartOrder.WebBundle PAGE = new StartOrder.WebBundle("page", "/page");

  private final List<String> started = new ArrayList<>();
  private final Set<String> served = new HashSet<>();
  private boolean booting;

  private final StartOrder order =
      new StartOrder(
          new StartOrder.Container() {
            @Override
            public boolean booting() {
              return booting;
            }

            @Override
            public boolean serves(String path) {
              return served.contains(path);
            }

            @Override
            public void start(String symbolicName) {
              started.add(symbolicName);
            }
          },
          List.of(REST, PAGE),
          0);

  @Test
  void componentsStartInOrderOnceTheirPredecessorIsActive() {
    served.add(StartOrder.ONOS_PATH);
    long now = 0;
    assertThat(order.proceed(now)).isFalse();
    assertThat(started).isEmpty();

    now += StartOrder.SETTLE_NANOS;
    assertThat(order.proceed(now)).isFalse();
    assertThat(started).containsExactly("rest");

    now += StartOrder.SETTLE_NANOS;
    order.proceed(now);
    served.add("/rest");
    order.proceed(now);
    assertThat(started).containsExactly("rest");

    now += StartOrder.SETTLE_NANOS;
    assertThat(order.proceed(now)).isTrue();
    assertThat(started).containsExactly("rest", "page");
  }

  @Test
  void timeoutIsLongerAtBoot() {
    booting = true;
    served.add(StartOrder.ONOS_PATH);
    order.proceed(0);
    booting = false;

    order.proceed(StartOrder.SETTLE_AT_BOOT_NANOS - 1);
    assertThat(started).isEmpty();
    order.proceed(StartOrder.SETTLE_AT_BOOT_NANOS);
    assertThat(started).containsExactly("rest");
  }

  @Test
  void missingOnosRestDoesNotPreventStart() {
    order.proceed(StartOrder.PATIENCE_NANOS - 1);
    assertThat(started).isEmpty();

    order.proceed(StartOrder.PATIENCE_NANOS);
    assertThat(order.proceed(StartOrder.PATIENCE_NANOS + 1)).isTrue();
    assertThat(started).containsExactly("rest", "page");
  }
}
