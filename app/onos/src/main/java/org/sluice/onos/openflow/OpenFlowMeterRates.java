// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.openflow;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.MeterId;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowEventListener;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.onosproject.openflow.controller.RoleState;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterFlags;
import org.projectfloodlight.openflow.protocol.OFMeterMod;
import org.projectfloodlight.openflow.protocol.OFMeterModCommand;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.errormsg.OFMeterModFailedErrorMsg;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes meters by OpenFlow 1.3 and later: OFPMC_MODIFY. */
@Component(immediate = true, service = MeterRates.class)
public class OpenFlowMeterRates implements MeterRates, OpenFlowEventListener {
  /** Numbers of our messages; ONOS's meter provider numbers its own by the meter. */
  private static final long FIRST_NUMBER = 0x5c000000L;

  private static final long NUMBERS = 1L << 24;

  /** Changes of which a refusal is still understood; of older ones it is not. */
  private static final int MOST_REMEMBERED = 4096;

  private static final Logger log = LoggerFactory.getLogger(OpenFlowMeterRates.class);

  private final Map<Long, Change> sent = new Recent();
  private long count;
  private volatile BiConsumer<DeviceId, MeterId> refusalListener = (device, meter) -> {};
  private volatile boolean active;

  private volatile OpenFlowController controller;

  private static final class Change {
    final DeviceId device;
    final MeterId meter;

    Change(DeviceId device, MeterId meter) {
      this.device = device;
      this.meter = meter;
    }
  }

  private static final class Recent extends LinkedHashMap<Long, Change> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, Change> eldest) {
      return size() > MOST_REMEMBERED;
    }
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      unbind = "unbindController")
  void bindController(OpenFlowController bound) {
    controller = bound;
    if (active) {
      bound.addEventListener(this);
    }
  }

  void unbindController(OpenFlowController unbound) {
    unbound.removeEventListener(this);
    if (controller == unbound) {
      controller = null;
    }
  }

  @Activate
  void activate() {
    active = true;
    OpenFlowController now = controller;
    if (now != null) {
      now.addEventListener(this);
    }
  }

  @Deactivate
  void deactivate() {
    active = false;
    OpenFlowController now = controller;
    if (now != null) {
      now.removeEventListener(this);
    }
  }

  @Override
  public boolean change(
      DeviceId device, MeterId meter, long kilobitsPerSecond, long burstKilobits) {
    OpenFlowController now = controller;
    OpenFlowSwitch target = now == null ? null : now.getSwitch(Dpid.dpid(device.uri()));
    if (target == null || !target.isConnected() || target.getRole() != RoleState.MASTER) {
      return false;
    }
    long number = remember(new Change(device, meter));
    target.sendMsg(message(target.factory(), number, meter, kilobitsPerSecond, burstKilobits));
    return true;
  }

  private long remember(Change change) {
    synchronized (sent) {
      long number = FIRST_NUMBER + count++ % NUMBERS;
      sent.put(number, change);
      return number;
    }
  }

  private static OFMeterMod message(
      OFFactory factory, long number, MeterId meter, long kilobitsPerSecond, long burstKilobits) {
    List<OFMeterBand> bands =
        List.of(
            factory
                .meterBands()
                .buildDrop()
                .setRate(kilobitsPerSecond)
                .setBurstSize(burstKilobits)
                .build());
    OFMeterMod.Builder message =
        factory
            .buildMeterMod()
            .setXid(number)
            .setCommand(OFMeterModCommand.MODIFY)
            .setMeterId(meter.id())
            .setFlags(EnumSet.of(OFMeterFlags.KBPS, OFMeterFlags.BURST));
    return factory.getVersion() == OFVersion.OF_13
        ? message.setMeters(bands).build()
        : message.setBands(bands).build();
  }

  @Override
  public void setRefusalListener(BiConsumer<DeviceId, MeterId> listener) {
    refusalListener = listener;
  }

  @Override
  public void handleMessage(Dpid dpid, OFMessage message) {
    if (message instanceof OFMeterModFailedErrorMsg) {
      Change refused;
      synchronized (sent) {
        refused = sent.remove(message.getXid());
      }
      if (refused != null && refused.device.uri().equals(Dpid.uri(dpid))) {
        log.warn(
            "Switch {} refused another rate for meter {}: {}",
            refused.device,
            refused.meter,
            ((OFMeterModFailedErrorMsg) message).getCode());
        refusalListener.accept(refused.device, refused.meter);
      }
    }
  }
}
