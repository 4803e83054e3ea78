// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.meter;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.onlab.util.KryoNamespace;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultBand;
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
import org.onosproject.net.meter.MeterTableKey;
import org.onosproject.store.AbstractStore;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.ConsistentMap;
import org.onosproject.store.service.MapEvent;
import org.onosproject.store.service.MapEventListener;
import org.onosproject.store.service.Serializer;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.Versioned;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meters of the cluster, kept over a restart; the store of ONOS 2.5.6 as far as OpenFlow needs it.
 *
 * <p>Ranked above the store in onos-core-dist 2.4.0, whose interface is older. Global meters with
 * an index only: no pipeline-independent meters, no indexes chosen by the user.
 */
@Component(immediate = true, service = MeterStore.class, property = "service.ranking:Integer=1000")
public class LabMeterStore extends AbstractStore<MeterEvent, MeterStoreDelegate>
    implements MeterStore {

  private static final Logger LOG = LoggerFactory.getLogger(LabMeterStore.class);
  private static final KryoNamespace NAMESPACE =
      KryoNamespace.newBuilder()
          .register(KryoNamespaces.API)
          .nextId(KryoNamespaces.BEGIN_USER_CUSTOM_ID)
          .register(
              MeterRecord.class,
              MeterKey.class,
              DefaultMeter.class,
              DefaultBand.class,
              Band.Type.class,
              Meter.Unit.class,
              MeterState.class,
              MeterFailReason.class,
              MeterTableKey.class,
              MeterScope.class)
          .build("LabMeterStore");

  @Reference protected StorageService storageService;

  private final Map<MeterKey, CompletableFuture<MeterStoreResult>> waiting =
      new ConcurrentHashMap<>();
  private final Map<MeterTableKey, MeterFeatures> features = new ConcurrentHashMap<>();
  private final MapEventListener<MeterKey, MeterRecord> listener = this::changed;
  private ConsistentMap<MeterKey, MeterRecord> meters;
  private MeterIds ids;

  /** Opens the distributed maps. */
  @Activate
  public void activate() {
    Serializer serializer = Serializer.using(NAMESPACE);
    meters =
        storageService
            .<MeterKey, MeterRecord>consistentMapBuilder()
            .withName("lab-onos-meters")
            .withSerializer(serializer)
            .build();
    meters.addListener(listener);
    ids =
        new MeterIds(
            storageService
                .<MeterTableKey>atomicCounterMapBuilder()
                .withName("lab-onos-meter-ids")
                .withSerializer(serializer)
                .build());
  }

  /** Stops listening; the meters stay. */
  @Deactivate
  public void deactivate() {
    meters.removeListener(listener);
  }

  @Override
  public CompletableFuture<MeterStoreResult> addOrUpdateMeter(Meter meter) {
    MeterKey key = keyOf(meter);
    CompletableFuture<MeterStoreResult> done = new CompletableFuture<>();
    waiting.put(key, done);
    meters.put(key, new MeterRecord(meter, null));
    return done;
  }

  @Override
  public CompletableFuture<MeterStoreResult> deleteMeter(Meter meter) {
    MeterKey key = keyOf(meter);
    CompletableFuture<MeterStoreResult> done = new CompletableFuture<>();
    waiting.put(key, done);
    Versioned<MeterRecord> left =
        meters.computeIfPresent(
            key, (k, stored) -> new MeterRecord(withState(stored, meter.state()), null));
    if (left == null) {
      finish(key, MeterStoreResult.success());
    }
    return done;
  }

  private static Meter withState(MeterRecord stored, MeterState state) {
    DefaultMeter meter = (DefaultMeter) stored.meter();
    meter.setState(state);
    return meter;
  }

  @Override
  public Meter updateMeterState(Meter seen) {
    Versioned<MeterRecord> updated =
        meters.computeIfPresent(
            keyOf(seen), (k, stored) -> new MeterRecord(merged(stored, seen), null));
    return updated == null ? null : updated.value().meter();
  }

  private static Meter merged(MeterRecord stored, Meter seen) {
    DefaultMeter meter = (DefaultMeter) stored.meter();
    if (meter.state() == MeterState.PENDING_ADD) {
      meter.setState(seen.state());
    }
    meter.setProcessedPackets(seen.packetsSeen());
    meter.setProcessedBytes(seen.bytesSeen());
    meter.setLife(seen.life());
    meter.setReferenceCount(seen.referenceCount());
    return meter;
  }

  @Override
  public void failedMeter(MeterOperation operation, MeterFailReason reason) {
    meters.computeIfPresent(
        keyOf(operation.meter()), (k, stored) -> new MeterRecord(stored.meter(), reason));
  }

  @Override
  public void purgeMeter(Meter meter) {
    if (meters.remove(keyOf(meter)) != null) {
      ids.giveBack(globalTable(meter.deviceId()), meter.id().id());
    }
  }

  @Override
  public void purgeMeters(DeviceId deviceId) {
    metersWhere(meter -> meter.deviceId().equals(deviceId)).forEach(this::purgeMeter);
  }

  @Override
  public void purgeMeters(DeviceId deviceId, ApplicationId appId) {
    metersWhere(meter -> meter.deviceId().equals(deviceId) && meter.appId().equals(appId))
        .forEach(this::purgeMeter);
  }

  @Override
  public Meter getMeter(MeterKey key) {
    MeterRecord stored = Versioned.valueOrNull(meters.get(key));
    return stored == null ? null : stored.meter();
  }

  @Override
  public Collection<Meter> getAllMeters() {
    return metersWhere(meter -> true);
  }

  @Override
  public Collection<Meter> getAllMeters(DeviceId deviceId) {
    return metersWhere(meter -> meter.deviceId().equals(deviceId));
  }

  @Override
  public Collection<Meter> getAllMeters(DeviceId deviceId, MeterScope scope) {
    return scope.isGlobal() ? getAllMeters(deviceId) : List.of();
  }

  private Collection<Meter> metersWhere(Predicate<Meter> wanted) {
    return meters.asJavaMap().values().stream()
        .map(MeterRecord::meter)
        .filter(wanted)
        .collect(Collectors.toList());
  }

  @Override
  public MeterStoreResult storeMeterFeatures(MeterFeatures meterFeatures) {
    features.put(tableOf(meterFeatures), meterFeatures);
    return MeterStoreResult.success();
  }

  @Override
  public MeterStoreResult storeMeterFeatures(Collection<MeterFeatures> meterFeatures) {
    meterFeatures.forEach(this::storeMeterFeatures);
    return MeterStoreResult.success();
  }

  @Override
  public MeterStoreResult deleteMeterFeatures(DeviceId deviceId) {
    features.keySet().removeIf(table -> table.deviceId().equals(deviceId));
    return MeterStoreResult.success();
  }

  @Override
  public MeterStoreResult deleteMeterFeatures(Collection<MeterFeatures> meterFeatures) {
    meterFeatures.forEach(gone -> features.remove(tableOf(gone)));
    return MeterStoreResult.success();
  }

  @Override
  public MeterCellId allocateMeterId(DeviceId deviceId, MeterScope scope) {
    MeterTableKey table = MeterTableKey.key(deviceId, scope);
    MeterFeatures known = features.get(table);
    if (!scope.isGlobal() || known == null) {
      LOG.warn("No meter number for {}: its meter features are not known", deviceId);
      return null;
    }
    long number = ids.take(table, known.startIndex(), known.endIndex());
    return number < 0 ? null : MeterId.meterId(number);
  }

  @Override
  @Deprecated
  public void freeMeterId(DeviceId deviceId, MeterId meterId) {
    ids.giveBack(globalTable(deviceId), meterId.id());
  }

  @Override
  public boolean userDefinedIndexMode(boolean enable) {
    return false;
  }

  private void changed(MapEvent<MeterKey, MeterRecord> event) {
    if (event.type() == MapEvent.Type.REMOVE) {
      finish(event.key(), MeterStoreResult.success());
      notifyDelegate(
          new MeterEvent(MeterEvent.Type.METER_REMOVED, event.oldValue().value().meter()));
      return;
    }
    MeterRecord now = event.newValue().value();
    MeterRecord before = Versioned.valueOrNull(event.oldValue());
    if (now.failure() != null) {
      finish(event.key(), MeterStoreResult.fail(now.failure()));
      return;
    }
    stored(event.key(), now.meter(), before);
  }

  private void stored(MeterKey key, Meter meter, MeterRecord before) {
    switch (meter.state()) {
      case PENDING_ADD:
        notifyDelegate(new MeterEvent(MeterEvent.Type.METER_ADD_REQ, meter));
        break;
      case PENDING_REMOVE:
        notifyDelegate(new MeterEvent(MeterEvent.Type.METER_REM_REQ, meter));
        break;
      case ADDED:
        if (before != null && before.meter().state() == MeterState.PENDING_ADD) {
          finish(key, MeterStoreResult.success());
          notifyDelegate(new MeterEvent(MeterEvent.Type.METER_ADDED, meter));
        } else if (meter.referenceCount() == 0) {
          notifyDelegate(new MeterEvent(MeterEvent.Type.METER_REFERENCE_COUNT_ZERO, meter));
        }
        break;
      default:
        break;
    }
  }

  private void finish(MeterKey key, MeterStoreResult result) {
    CompletableFuture<MeterStoreResult> done = waiting.remove(key);
    if (done != null) {
      done.complete(result);
    }
  }

  private static MeterKey keyOf(Meter meter) {
    return MeterKey.key(meter.deviceId(), meter.meterCellId());
  }

  private static MeterTableKey globalTable(DeviceId deviceId) {
    return MeterTableKey.key(deviceId, MeterScope.globalScope());
  }

  private static MeterTableKey tableOf(MeterFeatures meterFeatures) {
    return MeterTableKey.key(meterFeatures.deviceId(), meterFeatures.scope());
  }
}
