// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.onosproject.mastership.MastershipEvent.Type.RESTORED;
import static org.onosproject.mastership.MastershipEvent.Type.SUSPENDED;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.onosproject.cluster.NodeId;
import org.onosproject.mastership.MastershipEvent;
import org.onosproject.mastership.MastershipInfo;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DeviceService;
import org.onosproject.store.service.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Mastership;

/**
 * Mastership as ONOS's cluster has it, kept from its events: ONOS reads it from its store, and
 * keeps who queries it waiting for seconds while the store is away. Meanwhile what was last known
 * holds.
 */
final class OnosMastership implements Mastership {
  private static final Logger log = LoggerFactory.getLogger(OnosMastership.class);

  private final MastershipService service;
  private final DeviceService devices;
  private final NodeId local;
  private final Epoch epoch = new Epoch();
  private final Map<String, MastershipInfo> known = new ConcurrentHashMap<>();
  private volatile boolean mayHaveMissed = true;

  OnosMastership(MastershipService service, DeviceService devices, NodeId local) {
    this.service = service;
    this.devices = devices;
    this.local = local;
  }

  /** What ONOS reports of a switch, or of its store. */
  void changed(MastershipEvent event) {
    if (event.type() == SUSPENDED || event.type() == RESTORED) {
      mayHaveMissed = true;
    } else {
      known.put(event.subject().toString(), event.mastershipInfo());
      epoch.advance();
    }
  }

  /** Events may have gone to nobody. */
  void missed() {
    mayHaveMissed = true;
  }

  /** Makes up for lost events. To be called now and then; may take ONOS's time. */
  void renew() {
    if (!mayHaveMissed) {
      return;
    }
    mayHaveMissed = false;
    try {
      for (Device device : devices.getDevices()) {
        renew(device.id());
      }
    } catch (StorageException e) {
      mayHaveMissed = true;
      log.debug("Masters cannot be read: {}", e.toString());
    }
    epoch.advance();
  }

  /** An event that comes meanwhile is newer than what is read. */
  private void renew(DeviceId device) {
    String datapath = device.toString();
    MastershipInfo before = known.get(datapath);
    MastershipInfo now = service.getMastershipFor(device);
    if (now != null) {
      known.compute(datapath, (key, last) -> Objects.equals(last, before) ? now : last);
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public boolean isLocal(String datapath) {
    MastershipInfo info = known.get(datapath);
    return info != null && info.master().filter(local::equals).isPresent();
  }

  @Override
  public Optional<String> masterOf(String datapath) {
    return Optional.ofNullable(known.get(datapath)).flatMap(MastershipInfo::master).map(NodeId::id);
  }

  @Override
  public long takeover(String datapath) {
    MastershipInfo info = known.get(datapath);
    return info == null ? 0 : info.term();
  }
}
