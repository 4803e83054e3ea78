// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.meter;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import java.util.concurrent.TimeUnit;
import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.core.CoreService;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterOperation;
import org.onosproject.net.meter.MeterOperations;
import org.onosproject.net.meter.MeterProvider;
import org.onosproject.net.meter.MeterProviderRegistry;
import org.onosproject.net.meter.MeterProviderService;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowEventListener;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterStats;
import org.projectfloodlight.openflow.protocol.OFMeterStatsReply;
import org.projectfloodlight.openflow.protocol.errormsg.OFMeterModFailedErrorMsg;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.poll.Periods;
import org.sluice.lab.onos.openflow.poll.SwitchPoller;
import org.sluice.lab.onos.openflow.poll.SwitchWatcher;
import org.sluice.lab.onos.openflow.translate.Ids;

/**
 * Meters over OpenFlow. As with the stock provider a reply part counts as the whole meter table:
 * ONOS puts back what is missing in it and removes what it does not know.
 */
@Component(immediate = true, property = OpenFlowMeterProvider.POLL_INTERVAL + ":Integer=10")
public class OpenFlowMeterProvider extends AbstractProvider
    implements MeterProvider, OpenFlowEventListener {

  static final String POLL_INTERVAL = "meterStatsPollInterval";
  private static final int DEFAULT_PERIOD_SECONDS = 10;
  private static final long CONFIRMATION_TIMEOUT_SECONDS = 30;
  private static final long ALL_METERS = 0xffffffffL;
  private static final Logger LOG = LoggerFactory.getLogger(OpenFlowMeterProvider.class);

  @Reference protected MeterProviderRegistry providerRegistry;
  @Reference protected OpenFlowController controller;
  @Reference protected ComponentConfigService configService;
  @Reference protected CoreService coreService;

  private final Cache<Long, MeterOperation> unconfirmed =
      CacheBuilder.newBuilder()
          .expireAfterWrite(CONFIRMATION_TIMEOUT_SECONDS, TimeUnit.SECONDS)
          .removalListener(this::removed)
          .build();
  private int periodSeconds = DEFAULT_PERIOD_SECONDS;
  private MeterProviderService providerService;
  private SwitchPoller poller;
  private SwitchWatcher watcher;

  /** Creates the provider under the stock one's name. */
  public OpenFlowMeterProvider() {
    super(new ProviderId("of", "org.onosproject.provider.meter"));
  }

  /** Registers the provider and starts polling. */
  @Activate
  public void activate(ComponentContext context) {
    configService.registerProperties(getClass());
    providerService = providerRegistry.register(this);
    poller = new SwitchPoller("lab-of-meters", controller, periodSeconds, this::ask);
    watcher = new MeterWatcher();
    modified(context);
    controller.addListener(watcher);
    controller.addEventListener(this);
    controller.getSwitches().forEach(each -> watcher.switchAdded(each.getDpid()));
  }

  /** Unregisters the provider. */
  @Deactivate
  public void deactivate() {
    controller.removeEventListener(this);
    controller.removeListener(watcher);
    poller.shutdown();
    providerRegistry.unregister(this);
    configService.unregisterProperties(getClass(), false);
  }

  /** Takes a changed polling period. */
  @Modified
  public void modified(ComponentContext context) {
    periodSeconds = Periods.seconds(context, POLL_INTERVAL, periodSeconds);
    poller.setPeriodSeconds(periodSeconds);
  }

  private void ask(OpenFlowSwitch asked) {
    unconfirmed.cleanUp();
    asked.sendMsg(asked.factory().buildMeterStatsRequest().setMeterId(ALL_METERS).build());
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
      providerService.meterOperationFailed(operation, MeterFailReason.UNKNOWN_DEVICE);
      return;
    }
    long number = operation.meter().id().id();
    if (operation.type() != MeterOperation.Type.REMOVE) {
      unconfirmed.put(number, operation);
    }
    target.sendMsg(MeterMods.meterMod(target.factory(), operation, number));
    if (operation.type() == MeterOperation.Type.REMOVE) {
      // The store drops a removed meter only when a reply no longer shows it.
      poller.askSoon(dpid);
    }
  }

  @Override
  public void handleMessage(Dpid dpid, OFMessage message) {
    if (message instanceof OFMeterStatsReply) {
      DeviceId deviceId = Ids.device(dpid);
      OFMeterStatsReply reply = (OFMeterStatsReply) message;
      reply.getEntries().stream().map(OFMeterStats::getMeterId).forEach(unconfirmed::invalidate);
      providerService.pushMeterMetrics(
          deviceId,
          SeenMeters.meters(
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
      providerService.meterOperationFailed(operation, MeterFailures.reason(error.getCode()));
    }
  }

  private void removed(RemovalNotification<Long, MeterOperation> notification) {
    if (notification.wasEvicted()) {
      providerService.meterOperationFailed(notification.getValue(), MeterFailReason.TIMEOUT);
    }
  }

  /** Beside the polling: tells ONOS what the meters of a switch can do. */
  private final class MeterWatcher extends SwitchWatcher {

    MeterWatcher() {
      super(poller);
    }

    @Override
    public void switchAdded(Dpid dpid) {
      OpenFlowSwitch added = controller.getSwitch(dpid);
      if (added != null) {
        DeviceId deviceId = Ids.device(dpid);
        providerService.pushMeterFeatures(
            deviceId, SwitchMeterFeatures.of(deviceId, added.getMeterFeatures()));
        super.switchAdded(dpid);
      }
    }

    @Override
    public void switchRemoved(Dpid dpid) {
      super.switchRemoved(dpid);
      providerService.deleteMeterFeatures(Ids.device(dpid));
    }
  }
}
