// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;
import org.sluice.forwarding.spi.AttachmentStore;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.LinkDiscovery;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.OtherForwarder;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.SwitchEvents;

/**
 * A platform for forwarding in memory and in virtual time: one node on a {@link MemoryNetwork},
 * master of all switches unless a test says else.
 */
public final class MemoryFabric
    implements FabricUnderTest, ForwardingPlatform, SwitchEvents, Mastership, PacketIn, PacketOut {
  private static final String NODE = "c1";
  private static final String OTHER_NODE = "c2";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  public final MemoryNetwork network = new MemoryNetwork();
  public final VirtualTime time = network.time;
  public final MemorySwitches switches;

  /** Runs before a frame is emitted. */
  public Runnable beforeEmitting = () -> {};

  /** The application that forwards the same packets. */
  private Optional<String> rival = Optional.empty();

  private final Map<PortId, List<byte[]>> emitted = new HashMap<>();
  private final Map<String, Set<Long>> ports = new HashMap<>();
  private final Set<String> lost = new HashSet<>();
  private final Set<Link> links = new LinkedHashSet<>();
  private final Map<IpAddress, PortId> attachments = new HashMap<>();
  private final Set<IpAddress> routes = new HashSet<>();
  private final List<SwitchEvents.Listener> listeners = new ArrayList<>();
  private final Map<PacketIn.Listener, Stage> packetListeners = new HashMap<>();
  private final Epoch linkEpoch = new Epoch();
  private final Epoch mastershipEpoch = new Epoch();
  private final Epoch attachmentEpoch = new Epoch();
  private final Epoch rivalEpoch = new Epoch();
  private boolean arpRequested;

  public MemoryFabric() {
    switches = new MemorySwitches(network::isConnected, this::isLocal);
  }

  // ------------------------------------------------------------ what a test does

  @Override
  public void connect(String name, long... numbers) {
    Set<Long> up = ports.computeIfAbsent(name, n -> new TreeSet<>());
    Arrays.stream(numbers).forEach(up::add);
    network.connect(name, up.stream().mapToLong(Long::longValue).toArray());
    List.copyOf(listeners).forEach(each -> each.returned(Samples.datapath(name)));
  }

  @Override
  public void disconnect(String name) {
    network.disconnect(name);
    List.copyOf(listeners).forEach(each -> each.gone(Samples.datapath(name)));
  }

  @Override
  public void link(String a, String b) {
    links.add(Link.of(Samples.port(a), Samples.port(b)));
    links.add(Link.of(Samples.port(b), Samples.port(a)));
    linkEpoch.advance();
  }

  public void unlink(String a, String b) {
    links.remove(Link.of(Samples.port(a), Samples.port(b)));
    links.remove(Link.of(Samples.port(b), Samples.port(a)));
    linkEpoch.advance();
  }

  /** A link is torn out: both of its ends see no signal any longer. */
  public void cut(String a, String b) {
    for (String end : List.of(a, b)) {
      String name = end.substring(0, end.indexOf('/'));
      ports.get(name).remove(Samples.port(end).number());
      network.connect(name, ports.get(name).stream().mapToLong(Long::longValue).toArray());
    }
    unlink(a, b);
  }

  @Override
  public void loseMastership(String name) {
    lost.add(Samples.datapath(name));
    masterChanged(name);
  }

  @Override
  public void gainMastership(String name) {
    lost.remove(Samples.datapath(name));
    masterChanged(name);
  }

  private void masterChanged(String name) {
    mastershipEpoch.advance();
    List.copyOf(listeners).forEach(each -> each.masterChanged(Samples.datapath(name)));
  }

  /** All nodes of the cluster restart: they have gossiped of attachments, and wrote none down. */
  public void forgetAttachments() {
    attachments.clear();
  }

  /** An application that forwards the same packets starts; null: it stops. */
  public void setRival(String name) {
    rival = Optional.ofNullable(name);
    rivalEpoch.advance();
  }

  @Override
  public void receive(String at, byte[] frame) {
    receive(at, frame, OptionalLong.empty());
  }

  @Override
  public void receive(String at, byte[] frame, int priority) {
    Rule rule = switches.rule(at.substring(0, at.indexOf('/')), priority).orElseThrow();
    receive(at, frame, OptionalLong.of(switches.cookie(rule)));
  }

  private void receive(String at, byte[] frame, OptionalLong cookie) {
    Packet packet = Packet.of(Samples.port(at), frame, cookie);
    List<PacketIn.Listener> inOrder = new ArrayList<>(packetListeners.keySet());
    inOrder.sort(Comparator.comparing(packetListeners::get));
    for (PacketIn.Listener listener : inOrder) {
      if (listener.received(packet)) {
        return;
      }
    }
  }

  @Override
  public List<byte[]> emittedAt(String port) {
    return List.copyOf(emitted.getOrDefault(Samples.port(port), List.of()));
  }

  @Override
  public boolean hasEmitted() {
    return !emitted.isEmpty();
  }

  @Override
  public void clearEmitted() {
    emitted.clear();
  }

  @Override
  public boolean isListening() {
    return arpRequested || !packetListeners.isEmpty();
  }

  @Override
  public void until(Runnable assertion) {
    long end = time.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        assertion.run();
        return;
      } catch (AssertionError e) {
        if (time.nanoTime() - end > 0) {
          throw e;
        }
      }
      time.advanceMillis(10);
    }
  }

  @Override
  public TablesUnderTest tables() {
    return switches;
  }

  @Override
  public void seen(String mac, String at, String... ips) {
    network.seen(mac, at, ips);
  }

  @Override
  public void setCapacity(String port, long bitsPerSecond) {
    network.setCapacity(port, bitsPerSecond);
  }

  @Override
  public long nanoTime() {
    return time.nanoTime();
  }

  @Override
  public void later(long nanos) {
    time.advanceNanos(nanos);
  }

  @Override
  public void close() {}

  /** Lets time pass. */
  public void advanceSeconds(long seconds) {
    time.advanceMillis(TimeUnit.SECONDS.toMillis(seconds));
  }

  // ------------------------------------------------------------ what forwarding sees

  @Override
  public Switches switches() {
    return network;
  }

  @Override
  public SwitchEvents switchEvents() {
    return this;
  }

  @Override
  public Mastership mastership() {
    return this;
  }

  @Override
  public HostSightings hostSightings() {
    return network;
  }

  @Override
  public LinkDiscovery links() {
    return new LinkDiscovery() {
      @Override
      public Epoch epoch() {
        return linkEpoch;
      }

      @Override
      public Collection<Link> links() {
        return List.copyOf(links);
      }
    };
  }

  @Override
  public RuleTable rules() {
    return switches;
  }

  @Override
  public MeterTable meters() {
    return switches.meters;
  }

  @Override
  public GroupTable groups() {
    return switches.groups;
  }

  @Override
  public PacketIn packetIn() {
    return this;
  }

  @Override
  public PacketOut packetOut() {
    return this;
  }

  @Override
  public ReplicatedStorage storage() {
    return network.storage;
  }

  @Override
  public ClusterNodes nodes() {
    return new ClusterNodes() {
      @Override
      public String local() {
        return NODE;
      }

      @Override
      public Collection<String> all() {
        return List.of(NODE, OTHER_NODE);
      }
    };
  }

  @Override
  public AttachmentStore attachmentStore() {
    return new AttachmentStore() {
      @Override
      public Epoch epoch() {
        return attachmentEpoch;
      }

      @Override
      public Optional<PortId> get(IpAddress ip) {
        return Optional.ofNullable(attachments.get(ip));
      }

      @Override
      public Map<IpAddress, PortId> all() {
        return Map.copyOf(attachments);
      }

      @Override
      public void put(IpAddress ip, PortId port) {
        attachments.put(ip, port);
        attachmentEpoch.advance();
      }

      @Override
      public void remove(IpAddress ip) {
        attachments.remove(ip);
        attachmentEpoch.advance();
      }

      @Override
      public void remove(IpAddress ip, PortId port) {
        attachments.remove(ip, port);
        attachmentEpoch.advance();
      }
    };
  }

  @Override
  public Set<IpAddress> routeMemory() {
    return routes;
  }

  @Override
  public OtherForwarder otherForwarder() {
    return new OtherForwarder() {
      @Override
      public Epoch epoch() {
        return rivalEpoch;
      }

      @Override
      public Optional<String> active() {
        return rival;
      }

      @Override
      public String remedy(String name) {
        return "stop " + name;
      }
    };
  }

  @Override
  public void addListener(SwitchEvents.Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(SwitchEvents.Listener listener) {
    listeners.remove(listener);
  }

  @Override
  public Epoch epoch() {
    return mastershipEpoch;
  }

  @Override
  public boolean isLocal(String datapath) {
    return network.known().contains(datapath) && !lost.contains(datapath);
  }

  @Override
  public Optional<String> masterOf(String datapath) {
    return Optional.of(lost.contains(datapath) ? OTHER_NODE : NODE);
  }

  @Override
  public long takeover(String datapath) {
    return mastershipEpoch.get();
  }

  @Override
  public void addListener(Stage stage, PacketIn.Listener listener) {
    packetListeners.put(listener, stage);
  }

  @Override
  public void removeListener(PacketIn.Listener listener) {
    packetListeners.remove(listener);
  }

  @Override
  public void requestArp() {
    arpRequested = true;
  }

  @Override
  public void cancelArp() {
    arpRequested = false;
  }

  @Override
  public void emit(PortId port, byte[] frame) {
    beforeEmitting.run();
    emitted.computeIfAbsent(port, p -> new ArrayList<>()).add(frame);
  }
}
