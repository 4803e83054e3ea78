// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.DefaultMeter;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterCellId;
import org.onosproject.net.meter.MeterEvent;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterFeatures;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterKey;
import org.onosproject.net.meter.MeterOperation;
import org.onosproject.net.meter.MeterScope;
import org.onosproject.net.meter.MeterState;
import org.onosproject.net.meter.MeterStore;
import org.onosproject.net.meter.MeterStoreDelegate;
import org.onosproject.net.meter.MeterStoreResult;

/** Meters in memory, as ONOS's store keeps them over a cluster. Survives an ONOS restart. */
@SuppressWarnings("deprecation") // ONOS's own stores and providers still use this form.
final class SimpleMeterStore implements MeterStore {
  private final Map<MeterKey, Meter> meters = new HashMap<>();
  private final Map<MeterKey, CompletableFuture<MeterStoreResult>> asked = new HashMap<>();
  private final Set<DeviceId> withoutMeters = new HashSet<>();
  private long nextId = 1;
  private MeterStoreDelegate delegate;

  /** The switch said that it has no meters. */
  synchronized void deny(DeviceId device) {
    withoutMeters.add(device);
  }

  private static MeterKey key(Meter meter) {
    return MeterKey.key(meter.deviceId(), meter.meterCellId());
  }

  @Override
  public CompletableFuture<MeterStoreResult> addOrUpdateMeter(Meter meter) {
    CompletableFuture<MeterStoreResult> done = new CompletableFuture<>();
    synchronized (this) {
      meters.put(key(meter), meter);
      asked.put(key(meter), done);
    }
    delegate.notify(new MeterEvent(MeterEvent.Type.METER_ADD_REQ, meter));
    return done;
  }

  @Override
  public CompletableFuture<MeterStoreResult> deleteMeter(Meter meter) {
    synchronized (this) {
      if (meters.containsKey(key(meter))) {
        meters.put(key(meter), meter);
      }
    }
    delegate.notify(new MeterEvent(MeterEvent.Type.METER_REM_REQ, meter));
    return CompletableFuture.completedFuture(MeterStoreResult.success());
  }

  @Override
  public Meter updateMeterState(Meter meter) {
    Meter stored = getMeter(key(meter));
    if (stored != null) {
      ((DefaultMeter) stored).setLife(meter.life());
    }
    if (stored != null && stored.state() == MeterState.PENDING_ADD) {
      ((DefaultMeter) stored).setState(MeterState.ADDED);
      finish(key(meter), MeterStoreResult.success());
      delegate.notify(new MeterEvent(MeterEvent.Type.METER_ADDED, stored));
    }
    return stored;
  }

  @Override
  public synchronized Meter getMeter(MeterKey key) {
    return meters.get(key);
  }

  @Override
  public synchronized Collection<Meter> getAllMeters() {
    return new ArrayList<>(meters.values());
  }

  @Override
  public Collection<Meter> getAllMeters(DeviceId device) {
    return getAllMeters().stream()
        .filter(meter -> meter.deviceId().equals(device))
        .collect(Collectors.toList());
  }

  @Override
  public Collection<Meter> getAllMeters(DeviceId device, MeterScope scope) {
    return getAllMeters(device);
  }

  @Override
  public void failedMeter(MeterOperation operation, MeterFailReason reason) {
    synchronized (this) {
      meters.remove(key(operation.meter()));
    }
    finish(key(operation.meter()), MeterStoreResult.fail(reason));
  }

  private void finish(MeterKey key, MeterStoreResult result) {
    CompletableFuture<MeterStoreResult> done;
    synchronized (this) {
      done = asked.remove(key);
    }
    if (done != null) {
      done.complete(result);
    }
  }

  @Override
  public synchronized void purgeMeter(Meter meter) {
    meters.remove(key(meter));
  }

  @Override
  public synchronized MeterCellId allocateMeterId(DeviceId device, MeterScope scope) {
    return withoutMeters.contains(device) ? null : MeterId.meterId(nextId++);
  }

  @Override
  public MeterStoreResult storeMeterFeatures(MeterFeatures features) {
    return MeterStoreResult.success();
  }

  @Override
  public MeterStoreResult storeMeterFeatures(Collection<MeterFeatures> features) {
    return MeterStoreResult.success();
  }

  @Override
  public MeterStoreResult deleteMeterFeatures(DeviceId device) {
    return MeterStoreResult.success();
  }

  @Override
  public MeterStoreResult deleteMeterFeatures(Collection<MeterFeatures> features) {
    return MeterStoreResult.success();
  }

  @Override
  public void freeMeterId(DeviceId device, MeterId meter) {
    // Identifiers are never used again.
  }

  @Override
  public synchronized void purgeMeters(DeviceId device) {
    meters.values().removeIf(meter -> meter.deviceId().equals(device));
  }

  @Override
  public synchronized void purgeMeters(DeviceId device, ApplicationId application) {
    meters
        .values()
        .removeIf(meter -> meter.deviceId().equals(device) && meter.appId().equals(application));
  }

  @Override
  public boolean userDefinedIndexMode(boolean enable) {
    return false;
  }

  @Override
  public void setDelegate(MeterStoreDelegate to) {
    delegate = to;
  }

  @Override
  public void unsetDelegate(MeterStoreDelegate from) {
    delegate = null;
  }

  @Override
  public boolean hasDelegate() {
    return delegate != null;
  }
}
