// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.onosproject.cluster.NodeId;
import org.onosproject.mastership.MastershipEvent;
import org.onosproject.mastership.MastershipInfo;
import org.onosproject.mastership.MastershipServiceAdapter;
import org.onosproject.net.DefaultDevice;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DeviceServiceAdapter;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.store.service.StorageException;

class OnosMastershipTest {
  private static final DeviceId S1 = DeviceId.deviceId("of:0000000000000001");
  private static final NodeId LOCAL = NodeId.nodeId("n1");
  private static final NodeId OTHER = NodeId.nodeId("n2");

  private final FakeMastership onos = new FakeMastership();
  private final OnosMastership mastership = new OnosMastership(onos, new OneDevice(), LOCAL);

  @Test
  void itBeginsWithWhatOnosHas() {
    onos.masters.put(S1, info(3, LOCAL));

    mastership.renew();

    assertThat(mastership.isLocal(S1.toString())).isTrue();
    assertThat(mastership.masterOf(S1.toString())).contains("n1");
    assertThat(mastership.takeover(S1.toString())).isEqualTo(3);
  }

  @Test
  void itFollowsEventsWithoutReading() {
    mastership.renew();
    onos.isStoreAway = true;
    long epoch = mastership.epoch().get();

    mastership.changed(event(MastershipEvent.Type.MASTER_CHANGED, info(4, OTHER)));

    assertThat(mastership.isLocal(S1.toString())).isFalse();
    assertThat(mastership.masterOf(S1.toString())).contains("n2");
    assertThat(mastership.epoch().get()).isGreaterThan(epoch);
  }

  @Test
  void whatWasKnownHoldsWithoutTheStore() {
    onos.masters.put(S1, info(3, LOCAL));
    mastership.renew();

    onos.isStoreAway = true;
    mastership.changed(event(MastershipEvent.Type.SUSPENDED, new MastershipInfo()));
    mastership.renew();

    assertThat(mastership.isLocal(S1.toString())).isTrue();
  }

  @Test
  void whatHappenedWithoutTheStoreIsReadOnceItIsBack() {
    onos.masters.put(S1, info(3, LOCAL));
    mastership.renew();
    onos.isStoreAway = true;
    mastership.changed(event(MastershipEvent.Type.SUSPENDED, new MastershipInfo()));
    mastership.renew();

    onos.isStoreAway = false;
    onos.masters.put(S1, info(4, OTHER));
    mastership.renew();

    assertThat(mastership.masterOf(S1.toString())).contains("n2");
    assertThat(mastership.takeover(S1.toString())).isEqualTo(4);
  }

  @Test
  void anEventThatComesDuringAReadingIsNewer() {
    onos.masters.put(S1, info(3, LOCAL));
    onos.whileReading =
        () -> mastership.changed(event(MastershipEvent.Type.MASTER_CHANGED, info(4, OTHER)));

    mastership.renew();

    assertThat(mastership.masterOf(S1.toString())).contains("n2");
  }

  @Test
  void nobodyIsAMasterThatIsNotKnown() {
    assertThat(mastership.isLocal(S1.toString())).isFalse();
    assertThat(mastership.masterOf(S1.toString())).isEmpty();
    assertThat(mastership.takeover(S1.toString())).isZero();
  }

  private static MastershipInfo info(long term, NodeId master) {
    return new MastershipInfo(term, Optional.of(master), ImmutableMap.of());
  }

  private static MastershipEvent event(MastershipEvent.Type type, MastershipInfo info) {
    return new MastershipEvent(type, S1, info);
  }

  private static final class OneDevice extends DeviceServiceAdapter {
    @Override
    public Iterable<Device> getDevices() {
      return List.of(
          new DefaultDevice(ProviderId.NONE, S1, Device.Type.SWITCH, "", "", "", "", null));
    }
  }

  private static final class FakeMastership extends MastershipServiceAdapter {
    final Map<DeviceId, MastershipInfo> masters = new HashMap<>();
    boolean isStoreAway;
    Runnable whileReading = () -> {};

    @Override
    public MastershipInfo getMastershipFor(DeviceId device) {
      if (isStoreAway) {
        throw new StorageException.Timeout();
      }
      whileReading.run();
      return masters.get(device);
    }
  }
}
