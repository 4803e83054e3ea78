// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv4;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Host;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.host.HostService;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.PacketContext;
import org.onosproject.net.packet.PacketPriority;
import org.onosproject.net.packet.PacketProcessor;
import org.onosproject.net.packet.PacketService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.RecentlySeen;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.ForwardingState;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/**
 * Helps hosts to find each other while Sluice forwards, by ARP and by IPv6 neighbour discovery. A
 * question about an address whose port is known goes there by a rule; what is left for the
 * controller is to learn who asks, to answer where only the MAC is known, to ask everywhere where
 * nothing is, and to look for endpoints that their agents report but that have sent nothing yet.
 */
@Component(
    immediate = true,
    service = {})
public class NeighbourProxy implements PacketProcessor, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(NeighbourProxy.class);
  private static final int PRIORITY = PacketProcessor.director(2);
  private static final long PROBE_SECONDS = 2;
  private static final int MOST_PROBES = 32;
  private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long RULES_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final TrafficSelector ARP_PACKETS =
      DefaultTrafficSelector.builder().matchEthType(Ethernet.TYPE_ARP).build();

  @Reference SluiceApplication application;
  @Reference ForwardingState forwarding;
  @Reference TopologyView topology;
  @Reference Attachments attachments;
  @Reference ReportedEndpoints endpoints;
  @Reference HostService hosts;
  @Reference DeviceService devices;
  @Reference MastershipService mastership;
  @Reference PacketService packets;

  private final Runnable forwardingListener = this::follow;
  private final RecentlySeen recent = new RecentlySeen(ASK_AGAIN_NANOS, System::nanoTime);
  private final RecentlySeen fresh = new RecentlySeen(RULES_SETTLE_NANOS, System::nanoTime);
  private ScheduledExecutorService executor;
  private EdgePorts edge;
  private boolean listening;

  @Activate
  void activate() {
    edge = new EdgePorts(devices, mastership, topology, packets);
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "neighbours", log));
    application.settings().addListener(WithdrawStage.PACKETS, this);
    forwarding.epoch().addListener(forwardingListener);
    follow();
    executor.scheduleWithFixedDelay(this::probe, 0, PROBE_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    forwarding.epoch().removeListener(forwardingListener);
    application.settings().removeListener(this);
    executor.shutdownNow();
    stopProcessing();
  }

  /** ONOS finds a processor by index: two threads that remove the same one fail. */
  private synchronized void stopProcessing() {
    packets.removeProcessor(this);
  }

  @Override
  public void withdraw() {
    listen(false);
  }

  private void follow() {
    listen(forwarding.own());
  }

  private synchronized void listen(boolean now) {
    if (now == listening) {
      return;
    }
    listening = now;
    if (now) {
      packets.addProcessor(this, PRIORITY);
      packets.requestPackets(ARP_PACKETS, PacketPriority.CONTROL, application.id());
    } else {
      packets.cancelPackets(ARP_PACKETS, PacketPriority.CONTROL, application.id());
      stopProcessing();
    }
  }

  @Override
  public void process(PacketContext context) {
    InboundPacket packet = context.inPacket();
    Ethernet frame = packet.parsed();
    if (context.isHandled() || frame == null || !edge.isEdge(packet.receivedFrom())) {
      return;
    }
    ConnectPoint from = packet.receivedFrom();
    Optional<NeighbourMessage> message = NeighbourMessage.parse(frame);
    if (message.isPresent()) {
      learn(message.get().sender(), message.get().senderMac(), from);
      resolve(message.get(), from);
      context.block();
    } else if (frame.getEtherType() == Ethernet.TYPE_IPV4) {
      IPv4 ip = (IPv4) frame.getPayload();
      learn(Ip4Address.valueOf(ip.getSourceAddress()), frame.getSourceMAC(), from);
      deliver(context, Ip4Address.valueOf(ip.getDestinationAddress()));
    } else if (frame.getEtherType() == Ethernet.TYPE_IPV6) {
      IPv6 ip = (IPv6) frame.getPayload();
      learn(Ip6Address.valueOf(ip.getSourceAddress()), frame.getSourceMAC(), from);
      deliver(context, Ip6Address.valueOf(ip.getDestinationAddress()));
    }
  }

  /** What an agent reports of an address outweighs what a packet claims. */
  private void learn(IpAddress ip, MacAddress mac, ConnectPoint from) {
    boolean credible =
        !ip.isZero()
            && !ip.isMulticast()
            && !ip.isSelfAssigned()
            && !mac.equals(NeighbourMessage.PROBE_MAC)
            && endpoints
                .holder(OnosTypes.ip(ip))
                .map(endpoint -> OnosTypes.mac(endpoint.mac()).equals(mac))
                .orElse(true);
    if (credible) {
      if (!attachments.locate(ip).equals(Optional.of(from))) {
        fresh.isNew(ip);
      }
      attachments.learn(ip, from);
    }
  }

  private void resolve(NeighbourMessage message, ConnectPoint from) {
    IpAddress target = message.target();
    Optional<ConnectPoint> located = attachments.locate(target);
    if (located.isPresent()) {
      // The rule for it brings the packet there, unless it is only on its way into the switches.
      if (fresh.isRecent(target) && !located.get().equals(from)) {
        edge.emit(located.get(), message.frame());
      }
      return;
    }
    if (!message.isQuestion()) {
      answerToMac(message.frame());
      return;
    }
    Optional<MacAddress> owner = macOf(target);
    if (owner.equals(Optional.of(message.senderMac()))) {
      return; // It asks whether somebody else has its address: nobody has.
    }
    if (owner.isPresent()) {
      edge.emit(from, message.answer(owner.get()));
    } else if (recent.isNew(message.sender(), target)) {
      edge.flood(from, message.frame());
    }
  }

  /** An answer for somebody whose port ONOS alone knows. */
  private void answerToMac(Ethernet frame) {
    hosts.getHostsByMac(frame.getDestinationMAC()).stream()
        .findFirst()
        .ifPresent(host -> edge.emit(host.location(), frame));
  }

  private Optional<MacAddress> macOf(IpAddress ip) {
    Optional<MacAddress> reported =
        endpoints.holder(OnosTypes.ip(ip)).map(ReportedEndpoint::mac).map(OnosTypes::mac);
    return reported.isPresent()
        ? reported
        : hosts.getHostsByIp(ip).stream().findFirst().map(Host::mac);
  }

  /** A packet for which its switch has no rule yet, perhaps because nobody knows the address. */
  private void deliver(PacketContext context, IpAddress to) {
    Ethernet frame = context.inPacket().parsed();
    if (to.isMulticast() || frame.isBroadcast()) {
      return;
    }
    Optional<ConnectPoint> located = attachments.locate(to);
    if (located.isPresent()) {
      edge.emit(located.get(), frame);
    } else if (recent.isNew(to)) {
      edge.flood(context.inPacket().receivedFrom(), NeighbourMessage.probe(to));
    }
    context.block();
  }

  private void probe() {
    if (!forwarding.own()) {
      return;
    }
    try {
      int probes = 0;
      for (ReportedEndpoint endpoint : endpoints.reported()) {
        for (org.sluice.api.IpAddress ip : endpoint.ips()) {
          IpAddress address = OnosTypes.ip(ip);
          if (attachments.locate(address).isEmpty() && probes < MOST_PROBES) {
            probes++;
            edge.ours().forEach(port -> edge.emit(port, NeighbourMessage.probe(address)));
          }
        }
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("Endpoints were not looked for; the next round comes as usual", e);
    }
  }
}
