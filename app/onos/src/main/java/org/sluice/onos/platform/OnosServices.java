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
import org.onosproject.net.group.GroupService;
import org.onosproject.net.host.HostService;
import org.onosproject.net.link.LinkService;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.packet.PacketService;
import org.onosproject.persistence.PersistenceService;
import org.onosproject.store.service.StorageService;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.openflow.MeterRates;

/** Everything of ONOS, and of the application itself, that the platform is made of. */
@Component(immediate = true, service = OnosServices.class)
public class OnosServices {
  @Reference SluiceManager application;
  @Reference ApplicationService applications;
  @Reference ComponentConfigService componentConfig;
  @Reference VersionService version;
  @Reference ClusterService cluster;
  @Reference LeadershipService leadership;
  @Reference MastershipService mastership;
  @Reference StorageService storage;
  @Reference PersistenceService persistence;
  @Reference DeviceService devices;
  @Reference LinkService links;
  @Reference HostService hosts;
  @Reference FlowRuleService flows;
  @Reference MeterService meters;
  @Reference MeterRates meterRates;
  @Reference GroupService groups;
  @Reference PacketService packets;
  @Reference OperatorConfiguration configuration;
}
