// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv4;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Host;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.FlowRule;
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
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.RecentSet;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.ForwardingState;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.EdgeProofs;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/**
 * Helps hosts to find each other while Sluice forwards, by ARP and by IPv6 neighbour discovery. A
 * question about an address whose port is known goes there by a rule; what is left for the
 * controller is to learn requesters' locations, to reply where only the MAC is known, to send
 * requests for an unknown address, and to search for endpoints that their agents report but that
 * have sent nothing yet. All of it within the budget of the port that causes it.
 */
@Component(
    immediate = true,
    service = {})
public class NeighbourProxy implements PacketProcessor, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(NeighbourProxy.class);
  private static final int PRIORITY = PacketProcessor.director(2);
  private static final long PROBE_SECONDS = 2;
  private static final int MOST_PROBES = 32;

  /** An endpoint that does not answer where it was seen is not probed for ever. */
  private static final int MOST_ATTEMPTS = 5;

  private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SOLICIT_EVERYWHERE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long RULES_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long INFORMED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final TrafficSelector ARP_PACKETS =
      DefaultTrafficSelector.builder().matchEthType(Ethernet.TYPE_ARP).build();

  @Reference SluiceApplication application;
  @Reference ForwardingState forwarding;
  @Reference ContributedRules contributed;
  @Reference Punts punts;
  @Reference TopologyView topology;
  @Reference EdgeProofs proofs;
  @Reference Attachments attachments;
  @Reference ReportedEndpoints endpoints;
  @Reference HostService hosts;
  @Reference DeviceService devices;
  @Reference MastershipService mastership;
  @Reference PacketService packets;

  /** Ports that need no request, cached for a moment. */
  private static final class Informed {
    private final Set<ConnectPoint> ports;
    private final long nanos;

    Informed(Set<ConnectPoint> ports, long nanos) {
      this.ports = ports;
      this.nanos = nanos;
    }
  }

  /** How often an endpoint was probed at a port. */
  private static final class Attempts {
    private final ConnectPoint port;
    private int count;

    Attempts(ConnectPoint port) {
      this.port = port;
    }
  }

  private final LongSupplier clockNanos = System::nanoTime;
  private final Runnable forwardingListener = this::follow;
  private final Runnable attachmentListener = this::releaseSoon;
  private final Runnable puntListener = this::pauseSoon;
  private final RecentSet recent = new RecentSet(ASK_AGAIN_NANOS, clockNanos);
  private final RecentSet asked = new RecentSet(SOLICIT_EVERYWHERE_NANOS, clockNanos);
  private final RecentSet solicitedEverywhere = new RecentSet(SOLICIT_EVERYWHERE_NANOS, clockNanos);
  private final RecentSet fresh = new RecentSet(RULES_SETTLE_NANOS, clockNanos);
  private final HeldPackets held = new HeldPackets();
  private final LinkLocalRequests linkLocalRequests = new LinkLocalRequests();
  private final Map<IpAddress.Version, Informed> informed = new HashMap<>();
  private final AtomicBoolean releaseDue = new AtomicBoolean();
  private ScheduledExecutorService executor;
  private EdgePorts edge;
  private boolean listening;

  // The executor's thread alone:
  private List<Punts.Pause> paused = List.of();
  private final Map<EndpointId, Attempts> attempts = new HashMap<>();
  private int round;

  @Activate
  void activate() {
    edge = new EdgePorts(devices, mastership, topology, packets);
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "neighbours", log));
    application.settings().addListener(WithdrawStage.PACKETS, this);
    forwarding.epoch().addListener(forwardingListener);
    attachments.epoch().addListener(attachmentListener);
    punts.epoch().addListener(puntListener);
    follow();
    executor.scheduleWithFixedDelay(this::check, 0, PROBE_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    punts.epoch().removeListener(puntListener);
    attachments.epoch().removeListener(attachmentListener);
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
    if (context.isHandled() || frame == null || packet.receivedFrom().port().isLogical()) {
      return;
    }
    ConnectPoint from = packet.receivedFrom();
    Optional<NeighbourMessage> message = NeighbourMessage.parse(frame);
    if (!edge.isEdge(from)) {
      message.ifPresent(answer -> prove(answer, from));
      return;
    }
    short type = frame.getEtherType();
    if (type != Ethernet.TYPE_ARP && type != Ethernet.TYPE_IPV4 && type != Ethernet.TYPE_IPV6) {
      return;
    }
    if (!punts.take(from, frame.getSourceMAC(), kind(frame, message))) {
      context.block();
    } else if (message.isPresent()) {
      prove(message.get(), from);
      learn(message.get().sender(), message.get().senderMac(), from);
      resolve(message.get(), from);
      context.block();
    } else if (type == Ethernet.TYPE_IPV4) {
      IPv4 ip = (IPv4) frame.getPayload();
      IpAddress source = Ip4Address.valueOf(ip.getSourceAddress());
      learn(source, frame.getSourceMAC(), from);
      deliver(context, source, Ip4Address.valueOf(ip.getDestinationAddress()));
    } else if (type == Ethernet.TYPE_IPV6) {
      IPv6 ip = (IPv6) frame.getPayload();
      IpAddress source = Ip6Address.valueOf(ip.getSourceAddress());
      learn(source, frame.getSourceMAC(), from);
      deliver(context, source, Ip6Address.valueOf(ip.getDestinationAddress()));
    }
  }

  /**
   * What a link-local address caused to request or reply has not chosen to: anybody may have sent
   * so.
   */
  private static Punts.Kind kind(Ethernet frame, Optional<NeighbourMessage> message) {
    boolean isAnswer =
        message
            .map(each -> !each.isQuestion() || each.target().isLinkLocal())
            .orElseGet(
                () ->
                    frame.getPayload() instanceof IPv6
                        && Ip6Address.valueOf(((IPv6) frame.getPayload()).getDestinationAddress())
                            .isLinkLocal());
    return isAnswer ? Punts.Kind.ANSWER : Punts.Kind.QUESTION;
  }

  /**
   * An endpoint that answers a question that went out of a port is behind it, whatever it seems.
   */
  private void prove(NeighbourMessage message, ConnectPoint from) {
    if (!message.answersProbe(from)) {
      return;
    }
    endpoints
        .holder(OnosTypes.ip(message.sender()))
        .filter(endpoint -> OnosTypes.mac(endpoint.mac()).equals(message.senderMac()))
        .ifPresent(endpoint -> proofs.prove(from, endpoint.id()));
  }

  /** What an agent reports of an address outweighs what a packet claims. */
  private void learn(IpAddress ip, MacAddress mac, ConnectPoint from) {
    boolean credible =
        !NeighbourMessage.isProbeMac(mac)
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
    if (message.isQuestion() && message.sender().isLinkLocal()) {
      linkLocalRequests.add(message.senderMac(), from, clockNanos.getAsLong());
    }
    if (located.isPresent()) {
      // The rule for it brings the packet there, unless it is only on its way into the switches.
      if (fresh.isRecent(target) && !located.get().equals(from)) {
        edge.emit(located.get(), message.frame());
      }
      return;
    }
    if (!message.isQuestion()) {
      answer(message, from);
      return;
    }
    if (!OnosTypes.isRoutable(target)) {
      return; // Nothing could be sent there.
    }
    Optional<MacAddress> owner = macOf(target);
    if (owner.equals(Optional.of(message.senderMac()))) {
      return; // Duplicate address detection: nobody has.
    }
    if (owner.isPresent()) {
      edge.emit(from, message.answer(owner.get()));
    } else if (recent.isNew(message.sender(), target)) {
      solicit(target, from, Optional.of(message.frame()));
    }
  }

  /** An answer for somebody whose port no attachment shows, perhaps not yet. */
  private void answer(NeighbourMessage message, ConnectPoint from) {
    Ethernet frame = message.frame();
    if (NeighbourMessage.isProbeMac(frame.getDestinationMAC())) {
      return;
    }
    Optional<ConnectPoint> port = portOf(frame.getDestinationMAC());
    if (port.isPresent()) {
      edge.emit(port.get(), frame);
    } else if (OnosTypes.isRoutable(message.target())) {
      held.hold(message.target(), from, frame, clockNanos.getAsLong());
    }
  }

  /** What an agent reports is where it was seen, whoever else uses its MAC. */
  private Optional<ConnectPoint> portOf(MacAddress mac) {
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      if (OnosTypes.mac(endpoint.mac()).equals(mac)) {
        for (org.sluice.api.IpAddress ip : endpoint.ips()) {
          Optional<ConnectPoint> port = attachments.locate(OnosTypes.ip(ip));
          if (port.isPresent()) {
            return port;
          }
        }
      }
    }
    Optional<ConnectPoint> requester = linkLocalRequests.locate(mac, clockNanos.getAsLong());
    return requester.isPresent()
        ? requester
        : hosts.getHostsByMac(mac).stream().findFirst().map(Host::location);
  }

  private Optional<MacAddress> macOf(IpAddress ip) {
    Optional<MacAddress> reported =
        endpoints.holder(OnosTypes.ip(ip)).map(ReportedEndpoint::mac).map(OnosTypes::mac);
    return reported.isPresent()
        ? reported
        : hosts.getHostsByIp(ip).stream().findFirst().map(Host::mac);
  }

  /** A packet for which its switch has no rule yet, perhaps because nobody knows the address. */
  private void deliver(PacketContext context, IpAddress source, IpAddress to) {
    Ethernet frame = context.inPacket().parsed();
    if (to.isMulticast() || frame.isBroadcast()) {
      return;
    }
    ConnectPoint from = context.inPacket().receivedFrom();
    Optional<ConnectPoint> located = attachments.locate(to);
    if (located.isPresent()) {
      edge.emit(located.get(), frame);
    } else if (OnosTypes.isRoutable(to)) {
      held.hold(to, from, frame, clockNanos.getAsLong());
      if (recent.isNew(source, to)) {
        solicit(to, from, Optional.empty());
      }
    }
    context.block();
  }

  /**
   * Sends requests for an unknown address. Where agents know everybody it can only be one that was
   * never used: there it is requested at the second request.
   *
   * @param question as it arrived; empty: one of ours
   */
  private void solicit(IpAddress target, ConnectPoint from, Optional<Ethernet> question) {
    boolean everywhere = !asked.isNew(target) && solicitedEverywhere.isNew(target);
    Set<ConnectPoint> spared = everywhere ? Set.of() : informed(target.version());
    List<ConnectPoint> ports =
        edge.all().stream()
            .filter(port -> !port.equals(from) && !spared.contains(port))
            .collect(Collectors.toList());
    if (!ports.isEmpty() && punts.takeFlood(from, ports.size())) {
      ports.forEach(
          port -> edge.emit(port, question.orElseGet(() -> NeighbourMessage.probe(target, port))));
    }
  }

  private Set<ConnectPoint> informed(IpAddress.Version family) {
    long now = clockNanos.getAsLong();
    synchronized (informed) {
      Informed last = informed.get(family);
      if (last == null || now - last.nanos >= INFORMED_NANOS) {
        last = new Informed(InformedPorts.of(family, endpoints.reported(), attachments.all()), now);
        informed.put(family, last);
      }
      return last.ports;
    }
  }

  private void releaseSoon() {
    if (releaseDue.compareAndSet(false, true)) {
      executor.execute(
          () -> {
            releaseDue.set(false);
            held.release(attachments::locate, clockNanos.getAsLong())
                .forEach(packet -> edge.emit(packet.out, packet.frame));
          });
    }
  }

  private void pauseSoon() {
    executor.execute(this::pause);
  }

  /** Switches keep what paused senders send them; until when, is checked at every evaluation. */
  private void pause() {
    List<Punts.Pause> now = punts.pauses();
    if (now.equals(paused)) {
      return;
    }
    now.stream().filter(each -> !paused.contains(each)).forEach(this::report);
    paused = now;
    Map<DeviceId, List<FlowRule>> rules = new HashMap<>();
    for (Punts.Pause pause : now) {
      rules
          .computeIfAbsent(pause.port().deviceId(), d -> new ArrayList<>())
          .addAll(contributed.ignore(pause));
    }
    contributed.set(getClass(), rules);
  }

  private void report(Punts.Pause pause) {
    String who =
        pause.sender().map(mac -> mac + " behind " + pause.port()).orElse("" + pause.port());
    String what =
        "The switch drops for "
            + TimeUnit.NANOSECONDS.toSeconds(PuntBudget.PAUSE_NANOS)
            + " s what "
            + who
            + (pause.kind() == Punts.Kind.ANSWER
                ? " sends as ARP and neighbour discovery replies"
                : " sends as ARP and neighbour discovery requests, and to unknown addresses");
    log.warn(what);
    application
        .journal()
        .write(
            JournalEntry.Kind.REFUSED,
            what,
            "more than "
                + PuntBudget.SENDER_PER_SECOND
                + " packets/s of a sender or "
                + PuntBudget.PORT_PER_SECOND
                + " packets/s of a port that match no rule");
  }

  private void check() {
    try {
      pause();
      if (forwarding.own()) {
        probe();
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("Endpoints were not probed; retrying at the next round", e);
    }
  }

  private void probe() {
    List<ReportedEndpoint> reported = endpoints.reported();
    Map<EndpointId, ReportedEndpoint> byId = new HashMap<>();
    reported.forEach(endpoint -> byId.put(endpoint.id(), endpoint));
    attempts.keySet().retainAll(byId.keySet());
    // An agent that is away and a port that is down: somebody may be putting in another cable.
    proofs.retain(
        (port, id) ->
            byId.containsKey(id)
                && (edge.isUp(port)
                    || !devices.isAvailable(port.deviceId())
                    || endpoints.sessions().containsKey(id.host())));
    List<ConnectPoint> ours = edge.ours();
    int probes = 0;
    round++;
    for (int i = 0; i < reported.size() && probes < MOST_PROBES; i++) {
      probes += probe(reported.get((i + round * MOST_PROBES) % reported.size()), ours);
    }
  }

  /** Requests an endpoint where it may be; how many of its addresses it requested. */
  private int probe(ReportedEndpoint endpoint, List<ConnectPoint> ours) {
    int probes = 0;
    boolean isDoubtful =
        topology.refusedLinks().keySet().stream()
            .anyMatch(port -> proofs.isProven(port, endpoint.id()));
    for (org.sluice.api.IpAddress ip : endpoint.ips()) {
      IpAddress address = OnosTypes.ip(ip);
      Optional<ConnectPoint> located = attachments.locate(address);
      if (!OnosTypes.isRoutable(address)) {
        continue;
      }
      if (located.isEmpty() || isDoubtful) {
        // Also at ports between switches: discovery may be deceived about them.
        probes++;
        ours.forEach(port -> edge.emit(port, NeighbourMessage.probe(address, port)));
      } else if (isToProve(endpoint.id(), located.get())) {
        probes++;
        edge.emit(located.get(), NeighbourMessage.probe(address, located.get()));
      }
    }
    return probes;
  }

  private boolean isToProve(EndpointId endpoint, ConnectPoint port) {
    if (!edge.isOurs(port) || proofs.isProven(port, endpoint)) {
      attempts.remove(endpoint);
      return false;
    }
    Attempts before = attempts.get(endpoint);
    if (before == null || !before.port.equals(port)) {
      before = new Attempts(port);
      attempts.put(endpoint, before);
    }
    before.count++;
    return before.count <= MOST_ATTEMPTS;
  }
}
