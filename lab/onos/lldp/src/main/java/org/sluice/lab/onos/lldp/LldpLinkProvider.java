// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.lldp;

import static org.onlab.packet.Ethernet.TYPE_BSN;
import static org.onlab.packet.Ethernet.TYPE_LLDP;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.onlab.packet.Ethernet;
import org.onosproject.cluster.ClusterMetadataService;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.CoreService;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.LinkKey;
import org.onosproject.net.Port;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.link.DefaultLinkDescription;
import org.onosproject.net.link.LinkDescription;
import org.onosproject.net.link.LinkProvider;
import org.onosproject.net.link.LinkProviderRegistry;
import org.onosproject.net.link.LinkProviderService;
import org.onosproject.net.packet.PacketContext;
import org.onosproject.net.packet.PacketPriority;
import org.onosproject.net.packet.PacketProcessor;
import org.onosproject.net.packet.PacketService;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds links between switches: sends probes out of every port that is up every {@value
 * #PROBE_PERIOD_MILLIS} ms, and drops a link that no probe has shown for {@value #STALE_AGE_MILLIS}
 * ms. The figures are the stock provider's.
 */
@Component(immediate = true)
public class LldpLinkProvider extends AbstractProvider implements LinkProvider {

  private static final String NAME = "org.onosproject.provider.lldp";
  private static final long PROBE_PERIOD_MILLIS = 3000;
  private static final long STALE_AGE_MILLIS = 10_000;
  private static final Logger LOG = LoggerFactory.getLogger(LldpLinkProvider.class);

  @Reference protected LinkProviderRegistry providerRegistry;
  @Reference protected DeviceService deviceService;
  @Reference protected MastershipService mastershipService;
  @Reference protected PacketService packetService;
  @Reference protected ClusterMetadataService clusterMetadataService;
  @Reference protected CoreService coreService;

  private final LinkAges seen = new LinkAges();
  private final PacketProcessor processor = this::process;
  private final DeviceListener deviceListener = this::deviceChanged;
  private ApplicationId appId;
  private LinkProbe probe;
  private LinkProviderService providerService;
  private ScheduledExecutorService executor;

  /** Creates the provider under the stock one's name. */
  public LldpLinkProvider() {
    super(new ProviderId("lldp", NAME));
  }

  /** Registers the provider and starts probing. */
  @Activate
  public void activate() {
    appId = coreService.registerApplication(NAME);
    probe = new LinkProbe(clusterMetadataService.getClusterMetadata());
    providerService = providerRegistry.register(this);
    executor = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "lab-lldp"));
    executor.scheduleAtFixedRate(this::round, 0, PROBE_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    deviceService.addListener(deviceListener);
    packetService.addProcessor(processor, PacketProcessor.advisor(0));
    packetService.requestPackets(frames(TYPE_LLDP), PacketPriority.CONTROL, appId);
    packetService.requestPackets(frames(TYPE_BSN), PacketPriority.CONTROL, appId);
  }

  /** Stops probing and withdraws the packet requests. */
  @Deactivate
  public void deactivate() {
    packetService.cancelPackets(frames(TYPE_LLDP), PacketPriority.CONTROL, appId);
    packetService.cancelPackets(frames(TYPE_BSN), PacketPriority.CONTROL, appId);
    packetService.removeProcessor(processor);
    deviceService.removeListener(deviceListener);
    executor.shutdownNow();
    providerRegistry.unregister(this);
  }

  private static TrafficSelector frames(short etherType) {
    return DefaultTrafficSelector.builder().matchEthType(etherType).build();
  }

  private void round() {
    try {
      deviceService.getAvailableDevices().forEach(this::probeFrom);
      dropStaleLinks();
    } catch (RuntimeException e) {
      // An exception would end the fixed-rate task without a word.
      LOG.warn("Link probes failed; retrying", e);
    }
  }

  private void probeFrom(Device device) {
    if (mastershipService.isLocalMaster(device.id())) {
      deviceService.getPorts(device.id()).forEach(port -> probeFrom(device, port));
    }
  }

  private void probeFrom(Device device, Port port) {
    if (port.isEnabled() && !port.number().isLogical()) {
      packetService.emit(probe.of(device, port, TYPE_LLDP));
      packetService.emit(probe.of(device, port, TYPE_BSN));
    }
  }

  private void dropStaleLinks() {
    // As in the stock provider: who becomes a switch's master again has not missed its probes.
    seen.forget(link -> !mastershipService.isLocalMaster(link.dst().deviceId()));
    long ageNanos = TimeUnit.MILLISECONDS.toNanos(STALE_AGE_MILLIS);
    List<LinkKey> stale = seen.takeOlderThan(ageNanos, System.nanoTime());
    for (LinkKey link : stale) {
      providerService.linkVanished(
          new DefaultLinkDescription(link.src(), link.dst(), Link.Type.DIRECT));
    }
  }

  private void process(PacketContext context) {
    Ethernet frame = context.inPacket().parsed();
    if (context.isHandled() || frame == null) {
      return;
    }
    if (frame.getEtherType() != TYPE_LLDP && frame.getEtherType() != TYPE_BSN) {
      return;
    }
    LinkDescription link = probe.linkShownBy(context.inPacket());
    if (link != null) {
      providerService.linkDetected(link);
      seen.saw(LinkKey.linkKey(link.src(), link.dst()), System.nanoTime());
      context.block();
    }
  }

  private void deviceChanged(DeviceEvent event) {
    switch (event.type()) {
      case PORT_ADDED:
      case PORT_UPDATED:
      case PORT_REMOVED:
        executor.execute(() -> portChanged(event));
        break;
      case DEVICE_ADDED:
      case DEVICE_AVAILABILITY_CHANGED:
      case DEVICE_REMOVED:
      case DEVICE_SUSPENDED:
        executor.execute(() -> availabilityChanged(event.subject()));
        break;
      default:
        break;
    }
  }

  private void portChanged(DeviceEvent event) {
    boolean gone = event.type() == DeviceEvent.Type.PORT_REMOVED || !event.port().isEnabled();
    if (gone) {
      ConnectPoint place = new ConnectPoint(event.subject().id(), event.port().number());
      seen.forget(link -> link.src().equals(place) || link.dst().equals(place));
      providerService.linksVanished(place);
    } else if (mastershipService.isLocalMaster(event.subject().id())) {
      probeFrom(event.subject(), event.port());
    }
  }

  private void availabilityChanged(Device device) {
    DeviceId id = device.id();
    if (deviceService.isAvailable(id)) {
      probeFrom(device);
    } else {
      seen.forget(link -> link.src().deviceId().equals(id) || link.dst().deviceId().equals(id));
      providerService.linksVanished(id);
    }
  }
}
