// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.onosproject.event.ListenerRegistry;
import org.onosproject.mastership.MastershipEvent;
import org.onosproject.mastership.MastershipInfo;
import org.onosproject.mastership.MastershipListener;
import org.onosproject.net.DeviceId;
import org.sluice.core.testing.VirtualTime;

/** Listeners by ONOS's own registry, which ends those that take long. */
class SubscriptionsTest {
  private final VirtualTime time = new VirtualTime();
  private final ListenerRegistry<MastershipEvent, MastershipListener> service =
      new ListenerRegistry<>();
  private final Subscriptions subscriptions = new Subscriptions(time);
  private final AtomicInteger received = new AtomicInteger();
  private final AtomicInteger caughtUp = new AtomicInteger();
  private long tookMillis;

  private void subscribe() {
    subscriptions.add(
        service,
        event -> {
          received.incrementAndGet();
          time.advanceMillis(tookMillis);
        },
        handler -> handler::accept,
        caughtUp::incrementAndGet);
  }

  private void report() {
    service.process(
        new MastershipEvent(
            MastershipEvent.Type.MASTER_CHANGED,
            DeviceId.deviceId("of:0000000000000001"),
            new MastershipInfo()));
  }

  @Test
  void listenerThatOnosHasEndedIsRegisteredAgainAndCatchesUp() {
    subscribe();
    tookMillis = 2_500;
    report();
    service.removeListener(endedListener());
    tookMillis = 0;
    report();
    assertThat(received).hasValue(1);
    assertThat(subscriptions.slow()).contains("MastershipEvent (2500 ms)");

    time.advanceMillis(TimeUnit.SECONDS.toMillis(6));

    assertThat(caughtUp).hasValue(1);
    report();
    assertThat(received).as("once").hasValue(2);
    time.advanceMillis(TimeUnit.MINUTES.toMillis(10));
    assertThat(subscriptions.slow()).isEmpty();
    assertThat(caughtUp).hasValue(1);
  }

  /** Whom the registry has, as it does at the limit. */
  private MastershipListener endedListener() {
    try {
      var field = ListenerRegistry.class.getDeclaredField("lastListener");
      field.setAccessible(true);
      return (MastershipListener) field.get(service);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nobodyIsRegisteredAnyLongerAtTheEnd() {
    subscribe();
    subscriptions.end();
    time.advanceMillis(60_000);
    report();
    assertThat(received).hasValue(0);
  }
}
