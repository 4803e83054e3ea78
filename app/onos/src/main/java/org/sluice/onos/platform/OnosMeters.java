// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultBand;
import org.onosproject.net.meter.DefaultMeterRequest;
import org.onosproject.net.meter.MeterCellId;
import org.onosproject.net.meter.MeterContext;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterRequest;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.meter.MeterState;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.onos.openflow.MeterRates;

/** Meters by ONOS's meter service, which cannot change one: that goes to the switch past it. */
final class OnosMeters implements MeterTable {
  private final MeterService meters;
  private final MeterRates rates;
  private final ApplicationId application;
  private final Epoch epoch = new Epoch();

  OnosMeters(MeterService meters, MeterRates rates, ApplicationId application) {
    this.meters = meters;
    this.rates = rates;
    this.application = application;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<Meter> meters(String datapath) {
    List<Meter> own = new ArrayList<>();
    for (org.onosproject.net.meter.Meter meter : meters.getMeters(DeviceId.deviceId(datapath))) {
      if (application.equals(meter.appId())
          && meter.state() != MeterState.PENDING_REMOVE
          && meter.meterCellId() instanceof MeterId) {
        own.add(
            Meter.of(
                ((MeterId) meter.meterCellId()).id(),
                meter.bands().iterator().next().rate(),
                meter.state() == MeterState.ADDED,
                meter.life()));
      }
    }
    return own;
  }

  @Override
  public long add(
      String datapath, long kilobitsPerSecond, long burstKilobits, Consumer<String> refused) {
    MeterContext context =
        new MeterContext() {
          @Override
          public void onError(MeterRequest request, MeterFailReason reason) {
            refused.accept(reason.toString());
          }
        };
    MeterRequest request = request(datapath, kilobitsPerSecond, burstKilobits, context).add();
    return ((MeterId) meters.submit(request).meterCellId()).id();
  }

  @Override
  public void remove(String datapath, long meter) {
    meters.withdraw(
        request(datapath, 1, 1, new MeterContext() {}).remove(),
        (MeterCellId) MeterId.meterId(meter));
  }

  private MeterRequest.Builder request(
      String datapath, long kilobitsPerSecond, long burstKilobits, MeterContext context) {
    Band band =
        DefaultBand.builder()
            .ofType(Band.Type.DROP)
            .withRate(kilobitsPerSecond)
            .burstSize(burstKilobits)
            .build();
    return DefaultMeterRequest.builder()
        .forDevice(DeviceId.deviceId(datapath))
        .fromApp(application)
        .withUnit(org.onosproject.net.meter.Meter.Unit.KB_PER_SEC)
        .burst()
        .withBands(List.of(band))
        .withContext(context);
  }

  @Override
  public boolean change(String datapath, long meter, long kilobitsPerSecond, long burstKilobits) {
    return rates.change(
        DeviceId.deviceId(datapath), MeterId.meterId(meter), kilobitsPerSecond, burstKilobits);
  }

  @Override
  public void setRefusalListener(BiConsumer<String, Long> to) {
    rates.setRefusalListener((device, meter) -> to.accept(device.toString(), meter.id()));
  }
}
