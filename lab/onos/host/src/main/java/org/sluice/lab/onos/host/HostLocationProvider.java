// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.host;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.onlab.packet.Ethernet;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.CoreService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Host;
import org.onosproject.net.HostLocation;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.host.HostProvider;
import org.onosproject.net.host.HostProviderRegistry;
import org.onosproject.net.host.HostProviderService;
import org.onosproject.net.host.HostService;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.PacketContext;
import org.onosproject.net.packet.PacketPriority;
import org.onosproject.net.packet.PacketProcessor;
import org.onosproject.net.packet.PacketService;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.net.topology.TopologyService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Learns hosts from the packets that enter at edge ports, and forgets them with their port. */
@Component(immediate = true)
public class HostLocationProvider extends AbstractProvider implements HostProvider {

  private static final String NAME = "org.onosproject.provider.host";
  private static final Logger LOG = LoggerFactory.getLogger(HostLocationProvider.class);
  private static final TrafficSelector ARP =
      DefaultTrafficSelector.builder().matchEthType(Ethernet.TYPE_ARP).build();

  @Reference protected HostProviderRegistry providerRegistry;
  @Reference protected HostService hostService;
  @Reference protected DeviceService deviceService;
  @Reference protected TopologyService topologyService;
  @Reference protected PacketService packetService;
  @Reference protected CoreService coreService;

  private final PacketProcessor processor = this::process;
  private final DeviceListener deviceListener = this::deviceChanged;
  private ApplicationId appId;
  private HostProviderService providerService;
  private ExecutorService executor;

  /** Creates the provider under the stock one's name. */
  public HostLocationProvider() {
    super(new ProviderId("of", NAME));
  }

  /** Registers the provider and requests ARP packets. */
  @Activate
  public void activate() {
    appId = coreService.registerApplication(NAME);
    executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "lab-hosts"));
    providerService = providerRegistry.register(this);
    packetService.addProcessor(processor, PacketProcessor.advisor(1));
    deviceService.addListener(deviceListener);
    packetService.requestPackets(ARP, PacketPriority.CONTROL, appId);
  }

  /** Withdraws the packet request; hosts stay known, as with the stock provider. */
  @Deactivate
  public void deactivate() {
    packetService.cancelPackets(ARP, PacketPriority.CONTROL, appId);
    deviceService.removeListener(deviceListener);
    packetService.removeProcessor(processor);
    providerRegistry.unregister(this);
    executor.shutdownNow();
  }

  /** Does nothing: the stock provider's probe is switched off as well. */
  @Override
  public void triggerProbe(Host host) {}

  private void process(PacketContext context) {
    InboundPacket packet = context.inPacket();
    if (packet.parsed() != null) {
      executor.execute(() -> learnFrom(packet));
    }
  }

  private void learnFrom(InboundPacket packet) {
    ConnectPoint arrivedAt = packet.receivedFrom();
    PacketSender seen = PacketSender.in(packet);
    if (seen == null
        || topologyService.isInfrastructure(topologyService.currentTopology(), arrivedAt)) {
      return;
    }
    try {
      providerService.hostDetected(seen.id(), seen.description(), false);
    } catch (IllegalStateException e) {
      LOG.debug("Host {} is suppressed by configuration", seen.id());
    }
  }

  private void deviceChanged(DeviceEvent event) {
    DeviceId device = event.subject().id();
    switch (event.type()) {
      case DEVICE_REMOVED:
      case DEVICE_AVAILABILITY_CHANGED:
        if (!deviceService.isAvailable(device)) {
          executor.execute(() -> forget(device, place -> true));
        }
        break;
      case PORT_REMOVED:
      case PORT_UPDATED:
        if (event.type() == DeviceEvent.Type.PORT_REMOVED || !event.port().isEnabled()) {
          executor.execute(
              () -> forget(device, place -> place.port().equals(event.port().number())));
        }
        break;
      default:
        break;
    }
  }

  private void forget(DeviceId device, Predicate<HostLocation> gone) {
    for (Host host : hostService.getConnectedHosts(device)) {
      host.locations().stream()
          .filter(place -> place.deviceId().equals(device) && gone.test(place))
          .forEach(place -> providerService.removeLocationFromHost(host.id(), place));
    }
  }
}
