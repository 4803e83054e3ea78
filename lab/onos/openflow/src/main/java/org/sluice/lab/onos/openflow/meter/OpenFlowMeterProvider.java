// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.meter;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import java.util.concurrent.TimeUnit;
import org.onosproject.core.CoreService;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterOperation;
import org.onosproject.net.meter.MeterOperations;
import org.onosproject.net.meter.MeterProvider;
import org.onosproject.net.meter.MeterProviderRegistry;
import org.onosproject.net.meter.MeterProviderService;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterStats;
import org.projectfloodlight.openflow.protocol.OFMeterStatsReply;
import org.projectfloodlight.openflow.protocol.errormsg.OFMeterModFailedErrorMsg;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.poll.PollingProvider;
import org.sluice.lab.onos.openflow.poll.SwitchPoller;
import org.sluice.lab.onos.openflow.poll.SwitchWatcher;
import org.sluice.lab.onos.openflow.translate.Ids;

/**
 * Meters over OpenFlow. As with the stock provider a reply part counts as the whole meter table:
 * ONOS puts back what is missing in it and removes what it does not have.
 */
@Component(immediate = true, property = OpenFlowMeterProvider.POLL_INTERVAL + ":Integer=10")
public class OpenFlowMeterProvider extends PollingProvider<MeterProviderService>
    implements MeterProvider {

  static final String POLL_INTERVAL = "meterStatsPollInterval";
  private static final int DEFAULT_PERIOD_SECONDS = 10;
  private static final long CONFIRMATION_TIMEOUT_SECONDS = 30;
  private static final long ALL_METERS = 0xffffffffL;
  private static final Logger LOG = LoggerFactory.getLogger(OpenFlowMeterProvider.class);

  @Reference protected MeterProviderRegistry providerRegistry;
  @Reference protected CoreService coreService;

  private final Cache<Long, MeterOperation> unconfirmed =
      CacheBuilder.newBuilder()
          .expireAfterWrite(CONFIRMATION_TIMEOUT_SECONDS, TimeUnit.SECONDS)
          .removalListener(this::removed)
          .build();

  /** Creates the provider under the stock one's name. */
  public OpenFlowMeterProvider() {
    super("org.onosproject.provider.meter", "lab-of-meters", POLL_INTERVAL, DEFAULT_PERIOD_SECONDS);
  }

  @Override
  protected MeterProviderService register() {
    return providerRegistry.register(this);
  }

  @Override
  protected void unregister() {
    providerRegistry.unregister(this);
  }

  @Override
  protected SwitchWatcher watcher(SwitchPoller poller) {
    return new MeterWatcher(poller);
  }

  @Override
  protected void poll(OpenFlowSwitch polled) {
    unconfirmed.cleanUp();
    polled.sendMsg(polled.factory().buildMeterStatsRequest().setMeterId(ALL_METERS).build());
  }

  @Override
  public void performMeterOperation(DeviceId deviceId, MeterOperations operations) {
    operations.operations().forEach(operation -> performMeterOperation(deviceId, operation));
  }

  @Override
  public void performMeterOperation(DeviceId deviceId, MeterOperation operation) {
    Dpid dpid = Ids.dpid(deviceId);
    OpenFlowSwitch target = controller.getSwitch(dpid);
    if (target == null) {
      providerService().meterOperationFailed(operation, MeterFailReason.UNKNOWN_DEVICE);
      return;
    }
    long number = operation.meter().id().id();
    if (operation.type() != MeterOperation.Type.REMOVE) {
      unconfirmed.put(number, operation);
    }
    target.sendMsg(MeterMods.meterMod(target.factory(), operation, number));
    if (operation.type() == MeterOperation.Type.REMOVE) {
      // The store drops a removed meter only when a reply no longer shows it.
      pollSoon(dpid);
    }
  }

  @Override
  public void handleMessage(Dpid dpid, OFMessage message) {
    if (message instanceof OFMeterStatsReply) {
      DeviceId deviceId = Ids.device(dpid);
      OFMeterStatsReply reply = (OFMeterStatsReply) message;
      reply.getEntries().stream().map(OFMeterStats::getMeterId).forEach(unconfirmed::invalidate);
      providerService()
          .pushMeterMetrics(
              deviceId,
              ReportedMeters.meters(
                  deviceId, coreService.getAppId(CoreService.CORE_APP_NAME), reply.getEntries()));
    } else if (message instanceof OFMeterModFailedErrorMsg) {
      refused(dpid, (OFMeterModFailedErrorMsg) message);
    }
  }

  private void refused(Dpid dpid, OFMeterModFailedErrorMsg error) {
    LOG.warn("Switch {} refused meter {}: {}", dpid, error.getXid(), error.getCode());
    MeterOperation operation = unconfirmed.getIfPresent(error.getXid());
    if (operation != null) {
      unconfirmed.invalidate(error.getXid());
      providerService().meterOperationFailed(operation, MeterFailures.reason(error.getCode()));
    }
  }

  private void removed(RemovalNotification<Long, MeterOperation> notification) {
    if (notification.wasEvicted()) {
      providerService().meterOperationFailed(notification.getValue(), MeterFailReason.TIMEOUT);
    }
  }

  /** Beside the polling: reports to ONOS what the meters of a switch can do. */
  private final class MeterWatcher extends SwitchWatcher {

    MeterWatcher(SwitchPoller poller) {
      super(poller);
    }

    @Override
    public void switchAdded(Dpid dpid) {
      OpenFlowSwitch added = controller.getSwitch(dpid);
      if (added != null) {
        DeviceId deviceId = Ids.device(dpid);
        providerService()
            .pushMeterFeatures(
                deviceId, SwitchMeterFeatures.of(deviceId, added.getMeterFeatures()));
        super.switchAdded(dpid);
      }
    }

    @Override
    public void switchRemoved(Dpid dpid) {
      super.switchRemoved(dpid);
      providerService().deleteMeterFeatures(Ids.device(dpid));
    }
  }
}
