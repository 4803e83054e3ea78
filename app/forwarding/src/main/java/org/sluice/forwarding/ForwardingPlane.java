// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.core.deadline.RegisteredFlows;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Settings;
import org.sluice.forwarding.pipeline.AttachmentAging;
import org.sluice.forwarding.pipeline.CeMeters;
import org.sluice.forwarding.pipeline.Forwarding;
import org.sluice.forwarding.pipeline.NeighbourProxy;
import org.sluice.forwarding.pipeline.PuntBudget;
import org.sluice.forwarding.pipeline.SwitchCaps;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.switchflows.SwitchFlows;
import org.sluice.forwarding.topology.AttachmentMap;
import org.sluice.forwarding.topology.LinkTopology;
import org.sluice.forwarding.topology.ProvenEdge;

/**
 * Topology, attachments and rules of one controller node. They work without the rest of the
 * controller, so that traffic goes on as early as possible; what needs to know endpoints begins
 * with {@link #follow}.
 */
public final class ForwardingPlane {
  private final ForwardingPlatform platform;
  private final Settings settings;
  private final JournalWriter journal;
  private final Execution execution;
  private final LongSupplier packetNanos;
  private final ProvenEdge proofs = new ProvenEdge();
  private final PuntBudget punts;
  private final LinkTopology topology;
  private final AttachmentMap attachments;
  private final SwitchCaps caps;
  private final Forwarding forwarding;
  private NeighbourProxy neighbours;
  private AttachmentAging aging;
  private SwitchFlows switchFlows;

  public ForwardingPlane(
      ForwardingPlatform platform, Settings settings, JournalWriter journal, Execution execution) {
    this(platform, settings, journal, execution, execution.clock()::nanoTime);
  }

  /**
   * With another clock for what is counted per second, for tests.
   *
   * @param packetNanos that clock
   */
  public ForwardingPlane(
      ForwardingPlatform platform,
      Settings settings,
      JournalWriter journal,
      Execution execution,
      LongSupplier packetNanos) {
    this.platform = platform;
    this.settings = settings;
    this.journal = journal;
    this.execution = execution;
    this.packetNanos = packetNanos;
    punts = new PuntBudget(packetNanos);
    topology = new LinkTopology(platform, proofs, execution);
    attachments =
        new AttachmentMap(
            settings, platform.attachmentStore(), topology, execution.clock()::nanoTime);
    caps = new SwitchCaps(platform.meters(), execution);
    forwarding =
        new Forwarding(platform, topology, attachments, caps, settings, journal, execution);
  }

  public void start() {
    topology.start();
    attachments.start();
    forwarding.start();
  }

  public void stop() {
    forwarding.stop();
    caps.stop();
    attachments.stop();
    topology.stop();
  }

  /** Follows endpoints as agents report them, and registered flows. */
  public void follow(ReportedEndpoints endpoints, EndpointLocator locator, RegisteredFlows flows) {
    neighbours =
        new NeighbourProxy(
            platform,
            topology,
            proofs,
            attachments,
            forwarding,
            punts,
            endpoints,
            settings,
            journal,
            execution);
    aging =
        new AttachmentAging(
            platform, topology, forwarding, attachments, endpoints, settings, execution);
    switchFlows =
        new SwitchFlows(
            platform,
            flows,
            endpoints,
            locator,
            attachments,
            forwarding,
            settings,
            journal,
            execution,
            packetNanos);
    neighbours.start();
    aging.start();
    switchFlows.start();
  }

  /** Ends that. */
  public void unfollow() {
    switchFlows.stop();
    aging.stop();
    neighbours.stop();
  }

  public LinkTopology topology() {
    return topology;
  }

  public AttachmentMap attachments() {
    return attachments;
  }

  public ProvenEdge proofs() {
    return proofs;
  }

  public PuntBudget punts() {
    return punts;
  }

  public SwitchCaps caps() {
    return caps;
  }

  public Forwarding forwarding() {
    return forwarding;
  }

  /** What forgets silent addresses; after {@link #follow}. */
  public AttachmentAging aging() {
    return aging;
  }

  /**
   * The meters through which rules of a switch send marked packets.
   *
   * @return number of a meter to the number of the port whose marked packets it counts
   */
  public Map<Long, Long> markMeters(String datapath) {
    Map<Long, Long> ports = new HashMap<>();
    CeMeters.inRules(platform.rules(), datapath)
        .forEach((port, meter) -> ports.put(meter, port.number()));
    return ports;
  }
}
