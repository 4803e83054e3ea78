// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.device;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.net.DeviceId;
import org.onosproject.net.MastershipRole;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceProvider;
import org.onosproject.net.device.DeviceProviderRegistry;
import org.onosproject.net.device.DeviceProviderService;
import org.onosproject.net.device.PortStatistics;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowEventListener;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.onosproject.openflow.controller.OpenFlowSwitchListener;
import org.onosproject.openflow.controller.RoleState;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortConfig;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.poll.Periods;
import org.sluice.lab.onos.openflow.poll.SwitchPoller;
import org.sluice.lab.onos.openflow.translate.Ids;

/** OpenFlow 1.3 switches as ONOS devices: their ports, roles and port counters. */
@Component(immediate = true, property = OpenFlowDeviceProvider.POLL_FREQUENCY + ":Integer=5")
public class OpenFlowDeviceProvider extends AbstractProvider
    implements DeviceProvider, OpenFlowSwitchListener, OpenFlowEventListener {

  static final String POLL_FREQUENCY = "portStatsPollFrequency";
  private static final int DEFAULT_PERIOD_SECONDS = 5;
  private static final Logger LOG = LoggerFactory.getLogger(OpenFlowDeviceProvider.class);

  @Reference protected DeviceProviderRegistry providerRegistry;
  @Reference protected OpenFlowController controller;
  @Reference protected ComponentConfigService configService;

  private final PortCounters counters = new PortCounters();
  private int periodSeconds = DEFAULT_PERIOD_SECONDS;
  private DeviceProviderService providerService;
  private SwitchPoller poller;

  /** Creates the provider under the stock one's name. */
  public OpenFlowDeviceProvider() {
    super(new ProviderId("of", "org.onosproject.provider.openflow"));
  }

  /** Registers the provider and announces the switches that are there. */
  @Activate
  public void activate(ComponentContext context) {
    configService.registerProperties(getClass());
    providerService = providerRegistry.register(this);
    poller = new SwitchPoller("lab-of-ports", controller, periodSeconds, this::poll);
    modified(context);
    controller.addListener(this);
    controller.addEventListener(this);
    controller.getSwitches().forEach(each -> switchAdded(each.getDpid()));
  }

  /** Unregisters the provider. */
  @Deactivate
  public void deactivate() {
    controller.removeEventListener(this);
    controller.removeListener(this);
    poller.shutdown();
    providerRegistry.unregister(this);
    configService.unregisterProperties(getClass(), false);
  }

  /** Takes a changed polling period. */
  @Modified
  public void modified(ComponentContext context) {
    periodSeconds = Periods.seconds(context, POLL_FREQUENCY, periodSeconds);
    poller.setPeriodSeconds(periodSeconds);
  }

  private void poll(OpenFlowSwitch polled) {
    polled.sendMsg(polled.factory().buildPortStatsRequest().setPortNo(OFPort.ANY).build());
  }

  @Override
  public void switchAdded(Dpid dpid) {
    OpenFlowSwitch added = controller.getSwitch(dpid);
    if (added == null) {
      return;
    }
    if (added.factory().getVersion() != OFVersion.OF_13) {
      LOG.error(
          "Switch {} uses {}; the lab's ONOS knows OpenFlow 1.3 only:"
              + " ovs-vsctl set bridge NAME protocols=OpenFlow13",
          dpid,
          added.factory().getVersion());
      return;
    }
    DeviceId deviceId = Ids.device(dpid);
    providerService.deviceConnected(deviceId, DeviceDescriptions.of(added));
    providerService.updatePorts(deviceId, PortDescriptions.all(added));
    requestPorts(added);
    poller.start(dpid);
  }

  @Override
  public void switchRemoved(Dpid dpid) {
    poller.stop(dpid);
    counters.forget(dpid);
    providerService.deviceDisconnected(Ids.device(dpid));
  }

  @Override
  public void switchChanged(Dpid dpid) {
    OpenFlowSwitch changed = controller.getSwitch(dpid);
    if (changed != null) {
      providerService.updatePorts(Ids.device(dpid), PortDescriptions.all(changed));
    }
  }

  @Override
  public void portChanged(Dpid dpid, OFPortStatus status) {
    DeviceId deviceId = Ids.device(dpid);
    if (status.getReason() == OFPortReason.DELETE) {
      providerService.deletePort(deviceId, PortDescriptions.one(status.getDesc()));
    } else {
      providerService.portStatusChanged(deviceId, PortDescriptions.one(status.getDesc()));
    }
  }

  @Override
  public void receivedRoleReply(Dpid dpid, RoleState requested, RoleState response) {
    providerService.receivedRoleReply(
        Ids.device(dpid), Roles.onosRole(requested), Roles.onosRole(response));
  }

  @Override
  public void handleMessage(Dpid dpid, OFMessage message) {
    if (message instanceof OFPortStatsReply) {
      List<PortStatistics> complete = counters.take(dpid, (OFPortStatsReply) message);
      if (complete != null) {
        providerService.updatePortStatistics(Ids.device(dpid), complete);
      }
    }
  }

  @Override
  public boolean isReachable(DeviceId deviceId) {
    OpenFlowSwitch found = controller.getSwitch(Ids.dpid(deviceId));
    return found != null && found.isConnected();
  }

  @Override
  public void triggerProbe(DeviceId deviceId) {
    OpenFlowSwitch probed = controller.getSwitch(Ids.dpid(deviceId));
    if (probed == null || !probed.isConnected()) {
      providerService.deviceDisconnected(deviceId);
    } else {
      requestPorts(probed);
    }
  }

  private static void requestPorts(OpenFlowSwitch polled) {
    polled.sendMsg(polled.factory().buildPortDescStatsRequest().build());
  }

  @Override
  public void roleChanged(DeviceId deviceId, MastershipRole newRole) {
    controller.setRole(Ids.dpid(deviceId), Roles.openFlowRole(newRole));
  }

  @Override
  public void changePortState(DeviceId deviceId, PortNumber portNumber, boolean enable) {
    OpenFlowSwitch changed = controller.getSwitch(Ids.dpid(deviceId));
    if (changed == null) {
      return;
    }
    OFPort number = Ids.port(portNumber);
    Set<OFPortConfig> down = EnumSet.of(OFPortConfig.PORT_DOWN);
    for (OFPortDesc port : changed.getPorts()) {
      if (port.getPortNo().equals(number)) {
        changed.sendMsg(
            changed
                .factory()
                .buildPortMod()
                .setPortNo(number)
                .setHwAddr(port.getHwAddr())
                .setConfig(enable ? EnumSet.noneOf(OFPortConfig.class) : down)
                .setMask(down)
                .setAdvertise(0)
                .build());
      }
    }
  }

  @Override
  public void triggerDisconnect(DeviceId deviceId) {
    OpenFlowSwitch disconnected = controller.getSwitch(Ids.dpid(deviceId));
    if (disconnected != null) {
      disconnected.disconnectSwitch();
    }
  }
}
