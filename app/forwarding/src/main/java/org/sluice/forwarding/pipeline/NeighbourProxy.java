// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.RecentSet;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.frame.Addresses;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.topology.AttachmentMap;
import org.sluice.forwarding.topology.LinkTopology;
import org.sluice.forwarding.topology.ProvenEdge;

/**
 * Helps hosts to find each other while Sluice forwards, by ARP and by IPv6 neighbour discovery. A
 * question about an address whose port is known goes there by a rule; what is left for the
 * controller is to learn requesters' locations, to reply where only the MAC is known, to send
 * requests for an unknown address, and to search for endpoints that their agents report but that
 * have sent nothing yet. All of it within the budget of the port that causes it.
 */
public final class NeighbourProxy implements PacketIn.Listener, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(NeighbourProxy.class);
  private static final long PROBE_SECONDS = 2;
  private static final int MOST_PROBES = 32;

  /** An endpoint that does not answer where it was seen is not probed for ever. */
  private static final int MOST_ATTEMPTS = 5;

  private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SOLICIT_EVERYWHERE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long RULES_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long INFORMED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final PacketIn packets;
  private final HostSightings hosts;
  private final Switches switches;
  private final EdgePorts edge;
  private final Forwarding forwarding;
  private final Punts punts;
  private final LinkTopology topology;
  private final ProvenEdge proofs;
  private final AttachmentMap attachments;
  private final ReportedEndpoints endpoints;
  private final Settings settings;
  private final JournalWriter journal;
  private final Execution execution;

  /** Ports that need no request, cached for a moment. */
  private static final class Informed {
    private final Set<PortId> ports;
    private final long nanos;

    Informed(Set<PortId> ports, long nanos) {
      this.ports = ports;
      this.nanos = nanos;
    }
  }

  /** How often an endpoint was probed at a port. */
  private static final class Attempts {
    private final PortId port;
    private int count;

    Attempts(PortId port) {
      this.port = port;
    }
  }

  private final LongSupplier clockNanos;
  private final Runnable forwardingListener = this::follow;
  private final Runnable attachmentListener = this::releaseSoon;
  private final Runnable puntListener = this::pauseSoon;
  private final RecentSet recent;
  private final RecentSet asked;
  private final RecentSet solicitedEverywhere;
  private final RecentSet fresh;
  private final HeldPackets held = new HeldPackets();
  private final LinkLocalRequests linkLocalRequests = new LinkLocalRequests();
  private final Map<Boolean, Informed> informed = new HashMap<>();
  private final AtomicBoolean releaseDue = new AtomicBoolean();
  private ScheduledExecutorService executor;
  private boolean listening;

  // The executor's thread alone:
  private List<Punts.Pause> paused = List.of();
  private final Map<EndpointId, Attempts> attempts = new HashMap<>();
  private int round;

  /** Does nothing yet. */
  public NeighbourProxy(
      ForwardingPlatform platform,
      LinkTopology topology,
      ProvenEdge proofs,
      AttachmentMap attachments,
      Forwarding forwarding,
      Punts punts,
      ReportedEndpoints endpoints,
      Settings settings,
      JournalWriter journal,
      Execution execution) {
    packets = platform.packetIn();
    hosts = platform.hostSightings();
    switches = platform.switches();
    edge = new EdgePorts(platform, topology);
    this.topology = topology;
    this.proofs = proofs;
    this.attachments = attachments;
    this.forwarding = forwarding;
    this.punts = punts;
    this.endpoints = endpoints;
    this.settings = settings;
    this.journal = journal;
    this.execution = execution;
    clockNanos = execution.clock()::nanoTime;
    recent = new RecentSet(ASK_AGAIN_NANOS, clockNanos);
    asked = new RecentSet(SOLICIT_EVERYWHERE_NANOS, clockNanos);
    solicitedEverywhere = new RecentSet(SOLICIT_EVERYWHERE_NANOS, clockNanos);
    fresh = new RecentSet(RULES_SETTLE_NANOS, clockNanos);
  }

  public void start() {
    executor = execution.sequential("neighbours");
    settings.addListener(WithdrawStage.PACKETS, this);
    forwarding.epoch().addListener(forwardingListener);
    attachments.epoch().addListener(attachmentListener);
    punts.epoch().addListener(puntListener);
    follow();
    executor.scheduleWithFixedDelay(this::check, 0, PROBE_SECONDS, SECONDS);
  }

  public void stop() {
    punts.epoch().removeListener(puntListener);
    attachments.epoch().removeListener(attachmentListener);
    forwarding.epoch().removeListener(forwardingListener);
    settings.removeListener(this);
    executor.shutdownNow();
    packets.removeListener(this);
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
      packets.addListener(PacketIn.Stage.UNKNOWN, this);
      packets.requestArp();
      attachments.confirmBy(Optional.of(this::probe));
    } else {
      attachments.confirmBy(Optional.empty());
      packets.cancelArp();
      packets.removeListener(this);
    }
  }

  @Override
  public boolean received(PacketIn.Packet packet) {
    Optional<EthernetFrame> parsed = EthernetFrame.parse(packet.frame());
    if (parsed.isEmpty()) {
      return false;
    }
    EthernetFrame frame = parsed.get();
    PortId from = packet.port();
    Optional<NeighbourMessage> message = NeighbourMessage.parse(frame);
    if (!edge.isEdge(from)) {
      message.ifPresent(answer -> prove(answer, from));
      return false;
    }
    Optional<EthernetFrame.Ip> ip = frame.ip();
    if (frame.type() != EthernetFrame.TYPE_ARP && ip.isEmpty()) {
      return false;
    }
    if (!punts.take(from, frame.source(), kind(ip, message))) {
      return true;
    }
    if (message.isPresent()) {
      prove(message.get(), from);
      learn(message.get().sender(), message.get().senderMac(), from);
      resolve(message.get(), from);
      return true;
    }
    if (ip.isPresent()) {
      learn(ip.get().source(), frame.source(), from);
      return deliver(frame, from, ip.get().source(), ip.get().destination());
    }
    return false;
  }

  /**
   * What a link-local address caused to request or reply has not chosen to: anybody may have sent
   * so.
   */
  private static Punts.Kind kind(
      Optional<EthernetFrame.Ip> ip, Optional<NeighbourMessage> message) {
    boolean isAnswer =
        message
            .map(each -> !each.isQuestion() || Addresses.isLinkLocal(each.target()))
            .orElseGet(
                () ->
                    ip.map(EthernetFrame.Ip::destination)
                        .filter(to -> !to.isIpv4() && Addresses.isLinkLocal(to))
                        .isPresent());
    return isAnswer ? Punts.Kind.ANSWER : Punts.Kind.QUESTION;
  }

  /**
   * An endpoint that answers a question that went out of a port is behind it, whatever it seems.
   */
  private void prove(NeighbourMessage message, PortId from) {
    if (!message.answersProbe(from)) {
      return;
    }
    endpoints
        .holder(message.sender())
        .filter(endpoint -> endpoint.mac().equals(message.senderMac()))
        .ifPresent(
            endpoint -> {
              proofs.prove(from, endpoint.id());
              if (!attachments.locate(message.sender()).equals(Optional.of(from))) {
                fresh.isNew(message.sender());
              }
              attachments.confirm(message.sender(), from);
            });
  }

  /** Requests an address at a port at which its packets arrive. */
  private void probe(IpAddress address, PortId port) {
    if (recent.isNew(address, port)) {
      edge.emit(port, NeighbourMessage.probe(address, port));
    }
  }

  /** What an agent reports of an address outweighs what a packet claims. */
  private void learn(IpAddress ip, MacAddress mac, PortId from) {
    boolean credible =
        !NeighbourMessage.isProbeMac(mac)
            && endpoints.holder(ip).map(endpoint -> endpoint.mac().equals(mac)).orElse(true);
    if (credible) {
      if (!attachments.locate(ip).equals(Optional.of(from))) {
        fresh.isNew(ip);
      }
      attachments.learn(ip, from);
    }
  }

  private void resolve(NeighbourMessage message, PortId from) {
    IpAddress target = message.target();
    Optional<PortId> located = attachments.locate(target);
    if (message.isQuestion() && Addresses.isLinkLocal(message.sender())) {
      linkLocalRequests.add(message.senderMac(), from, clockNanos.getAsLong());
    }
    if (located.isPresent()) {
      // The rule for it brings the packet there, unless it is only on its way into the switches.
      if (fresh.isRecent(target) && !located.get().equals(from)) {
        edge.emit(located.get(), message.frame().bytes());
      }
      return;
    }
    if (!message.isQuestion()) {
      answer(message, from);
      return;
    }
    if (!Addresses.isRoutable(target)) {
      return; // Nothing could be sent there.
    }
    Optional<MacAddress> owner = macOf(target);
    if (owner.equals(Optional.of(message.senderMac()))) {
      return; // Duplicate address detection: nobody has.
    }
    if (owner.isPresent()) {
      edge.emit(from, message.answer(owner.get()));
    } else if (recent.isNew(message.sender(), target)) {
      solicit(target, from, Optional.of(message.frame().bytes()));
    }
  }

  /** An answer for somebody whose port no attachment shows, perhaps not yet. */
  private void answer(NeighbourMessage message, PortId from) {
    EthernetFrame frame = message.frame();
    if (NeighbourMessage.isProbeMac(frame.destination())) {
      return;
    }
    Optional<PortId> port = portOf(frame.destination());
    if (port.isPresent()) {
      edge.emit(port.get(), frame.bytes());
    } else if (Addresses.isRoutable(message.target())) {
      held.hold(message.target(), from, frame.bytes(), clockNanos.getAsLong());
    }
  }

  /** What an agent reports is where it was seen, whoever else uses its MAC. */
  private Optional<PortId> portOf(MacAddress mac) {
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      if (endpoint.mac().equals(mac)) {
        for (IpAddress ip : endpoint.ips()) {
          Optional<PortId> port = attachments.locate(ip);
          if (port.isPresent()) {
            return port;
          }
        }
      }
    }
    Optional<PortId> requester = linkLocalRequests.locate(mac, clockNanos.getAsLong());
    return requester.isPresent() ? requester : hosts.locate(mac);
  }

  private Optional<MacAddress> macOf(IpAddress ip) {
    Optional<MacAddress> reported = endpoints.holder(ip).map(ReportedEndpoint::mac);
    return reported.isPresent() ? reported : hosts.macOf(ip);
  }

  /**
   * A packet for which its switch has no rule yet, perhaps because nobody knows the address.
   *
   * @return whether it was for us
   */
  private boolean deliver(EthernetFrame frame, PortId from, IpAddress source, IpAddress to) {
    if (Addresses.isMulticast(to) || frame.isBroadcast()) {
      return false;
    }
    Optional<PortId> located = attachments.locate(to);
    if (located.isPresent()) {
      edge.emit(located.get(), frame.bytes());
    } else if (Addresses.isRoutable(to)) {
      held.hold(to, from, frame.bytes(), clockNanos.getAsLong());
      if (recent.isNew(source, to)) {
        solicit(to, from, Optional.empty());
      }
    }
    return true;
  }

  /**
   * Sends requests for an unknown address. Where agents know everybody it can only be one that was
   * never used: there it is requested at the second request.
   *
   * @param question as it arrived; empty: one of ours
   */
  private void solicit(IpAddress target, PortId from, Optional<byte[]> question) {
    boolean everywhere = !asked.isNew(target) && solicitedEverywhere.isNew(target);
    Set<PortId> spared = everywhere ? Set.of() : informed(target.isIpv4());
    List<PortId> ports =
        edge.all().stream()
            .filter(port -> !port.equals(from) && !spared.contains(port))
            .collect(Collectors.toList());
    if (!ports.isEmpty() && punts.takeFlood(from, ports.size())) {
      ports.forEach(
          port -> edge.emit(port, question.orElseGet(() -> NeighbourMessage.probe(target, port))));
    }
  }

  private Set<PortId> informed(boolean ofIpv4) {
    long now = clockNanos.getAsLong();
    synchronized (informed) {
      Informed last = informed.get(ofIpv4);
      if (last == null || now - last.nanos >= INFORMED_NANOS) {
        last = new Informed(InformedPorts.of(ofIpv4, endpoints.reported(), attachments.all()), now);
        informed.put(ofIpv4, last);
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
    Map<String, List<Rule>> rules = new HashMap<>();
    for (Punts.Pause pause : now) {
      rules
          .computeIfAbsent(pause.port().datapath(), d -> new ArrayList<>())
          .addAll(forwarding.ignore(pause));
    }
    forwarding.set(getClass(), rules);
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
    journal.write(
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
                    || !switches.isConnected(port.datapath())
                    || endpoints.sessions().containsKey(id.host())));
    List<PortId> ours = edge.ours();
    int probes = 0;
    round++;
    for (int i = 0; i < reported.size() && probes < MOST_PROBES; i++) {
      probes += probe(reported.get((i + round * MOST_PROBES) % reported.size()), ours);
    }
  }

  /** Requests an endpoint where it may be; how many of its addresses it requested. */
  private int probe(ReportedEndpoint endpoint, List<PortId> ours) {
    int probes = 0;
    boolean isDoubtful =
        topology.refusedLinks().keySet().stream()
            .anyMatch(port -> proofs.isProven(port, endpoint.id()));
    for (IpAddress address : endpoint.ips()) {
      Optional<PortId> located = attachments.locate(address);
      if (!Addresses.isRoutable(address)) {
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

  private boolean isToProve(EndpointId endpoint, PortId port) {
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
