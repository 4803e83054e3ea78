// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import org.onosproject.app.ApplicationService;
import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.cluster.ClusterService;
import org.onosproject.cluster.LeadershipService;
import org.onosproject.core.VersionService;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.host.HostService;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.packet.PacketService;
import org.onosproject.store.service.StorageService;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.forwarding.Punts;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.TopologyView;

/** Everything of ONOS, and of this adapter's other components, that the platform is made of. */
@Component(immediate = true, service = OnosServices.class)
public class OnosServices {
  @Reference SluiceApplication application;
  @Reference ApplicationService applications;
  @Reference ComponentConfigService componentConfig;
  @Reference VersionService version;
  @Reference ClusterService cluster;
  @Reference LeadershipService leadership;
  @Reference MastershipService mastership;
  @Reference StorageService storage;
  @Reference DeviceService devices;
  @Reference HostService hosts;
  @Reference FlowRuleService flows;
  @Reference MeterService meters;
  @Reference PacketService packets;
  @Reference TopologyView topology;
  @Reference Attachments attachments;
  @Reference ForwardingState forwarding;
  @Reference EdgeLimits edgeLimits;
  @Reference CapMeters capMeters;
  @Reference Punts punts;
  @Reference OperatorConfiguration configuration;
}
