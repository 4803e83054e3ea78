// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.forwarding.parts.FrameSightings;
import org.sluice.forwarding.parts.ReplicatedAttachments;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.odl.line.Mdsal;
import org.sluice.odl.openflow.OdlPacketIn;
import org.sluice.odl.openflow.OdlPacketOut;
import org.sluice.odl.openflow.SwitchTables;
import org.sluice.odl.store.OdlStorage;
import org.sluice.odl.store.RouteMemoryFile;

/** OpenDaylight as forwarding sees it. */
final class OdlForwardingPlatform implements ForwardingPlatform {
  private static final Logger log = LoggerFactory.getLogger(OdlForwardingPlatform.class);

  /** Maps that nobody misses once Sluice is gone; in others is what operators wrote. */
  private static final Set<String> PASSING =
      Set.of(
          "sluice-attachments",
          "sluice-claims",
          "sluice-clock",
          "sluice-links",
          "sluice-masters",
          "sluice-nodes",
          "sluice-peer-authority",
          "sluice-silent",
          "sluice-terms",
          "sluice-watch");

  private static final long STOP_SECONDS = 5;

  private final Mdsal mdsal;
  private final ScheduledExecutorService executor;
  private final List<AutoCloseable> registrations = new ArrayList<>();
  private final OdlStorage storage;
  private final OdlStorage passing;
  private final OdlNodes nodes;
  private final OdlSwitches switches;
  private final OdlMastership mastership;
  private final OdlLeadership leadership;
  private final OdlLinks links;
  private final FrameSightings sightings;
  private final SwitchTables tables;
  private final OdlPacketIn packetIn;
  private final OdlPacketOut packetOut;
  private final ReplicatedAttachments attachmentStore;
  private final Set<IpAddress> routeMemory;
  private final OdlOtherForwarder otherForwarder;

  /**
   * One that does not listen yet.
   *
   * @param home the directory that OpenDaylight runs in
   */
  OdlForwardingPlatform(Mdsal mdsal, BundleContext context, Path home, Execution execution) {
    this.mdsal = mdsal;
    executor = execution.sequential("opendaylight");
    storage = new OdlStorage(mdsal, LogicalDatastoreType.CONFIGURATION);
    passing = new OdlStorage(mdsal, LogicalDatastoreType.OPERATIONAL);
    nodes = new OdlNodes(OdlNodes.readName(home), storage.map("sluice-nodes"), executor);
    switches = new OdlSwitches(mdsal, executor);
    mastership =
        new OdlMastership(
            nodes.local(), passing.map("sluice-masters"), executor, switches::masterChanged);
    leadership = new OdlLeadership(mdsal, storage.map("sluice-terms"), executor);
    links = new OdlLinks(mdsal);
    sightings = new FrameSightings(links::isEnd);
    tables = new SwitchTables(mdsal, switches, mastership, switches, execution);
    packetIn = new OdlPacketIn(mdsal, tables);
    packetOut = new OdlPacketOut(mdsal);
    attachmentStore =
        new ReplicatedAttachments(
            passing.map("sluice-attachments"), executor, System::currentTimeMillis);
    routeMemory = new RouteMemoryFile(context.getDataFile("routes").toPath(), executor);
    otherForwarder = new OdlOtherForwarder(context);
  }

  /** Listens to OpenDaylight from now on. */
  void start() {
    nodes.start();
    mastership.start();
    attachmentStore.start();
    switches.addListener(sightings);
    packetIn.addListener(PacketIn.Stage.COPIES, sightings);
    registrations.add(switches.start());
    registrations.add(links.start());
    packetIn.start();
    tables.start();
    registrations.add(mdsal.listenToOwnership(mastership));
    otherForwarder.start();
  }

  void stop() {
    otherForwarder.stop();
    for (AutoCloseable registration : registrations) {
      try {
        registration.close();
      } catch (Exception e) {
        log.warn("A listener could not be removed", e);
      }
    }
    tables.stop();
    packetIn.stop();
    attachmentStore.stop();
    mastership.stop();
    nodes.stop();
    executor.shutdown();
  }

  /** After the end: Sluice is removed from this node. The last one takes along what is shared. */
  void removeTraces() {
    try {
      executor.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
      if (nodes.leave()) {
        storage.remove(PASSING);
        passing.remove(PASSING);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StorageUnavailableException e) {
      log.warn("What nodes share stays in topologies sluice-*: {}", e.getMessage());
    }
  }

  ScheduledExecutorService executor() {
    return executor;
  }

  boolean meterChangesRefused() {
    return tables.changesRefused();
  }

  OdlLeadership leadership() {
    return leadership;
  }

  @Override
  public OdlSwitches switches() {
    return switches;
  }

  @Override
  public OdlSwitches switchEvents() {
    return switches;
  }

  @Override
  public OdlMastership mastership() {
    return mastership;
  }

  @Override
  public FrameSightings hostSightings() {
    return sightings;
  }

  @Override
  public OdlLinks links() {
    return links;
  }

  @Override
  public RuleTable rules() {
    return tables.rules();
  }

  @Override
  public MeterTable meters() {
    return tables.meters();
  }

  @Override
  public GroupTable groups() {
    return tables.groups();
  }

  @Override
  public PacketIn packetIn() {
    return packetIn;
  }

  @Override
  public PacketOut packetOut() {
    return packetOut;
  }

  @Override
  public ReplicatedStorage storage() {
    return storage;
  }

  @Override
  public OdlNodes nodes() {
    return nodes;
  }

  @Override
  public ReplicatedAttachments attachmentStore() {
    return attachmentStore;
  }

  @Override
  public Set<IpAddress> routeMemory() {
    return routeMemory;
  }

  @Override
  public OdlOtherForwarder otherForwarder() {
    return otherForwarder;
  }
}
