// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.sluice.api.Finding;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Symptom;
import org.sluice.core.spi.Topology;
import org.sluice.core.testing.FakeCounters;
import org.sluice.core.testing.FakeDiagnosis;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.FakeSamples;
import org.sluice.core.testing.KeyFiles;
import org.sluice.forwarding.ControllerNode;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.forwarding.ForwardingPlane;

/** The whole controller with forwarding on a {@link MemoryFabric}; its agents are a test's. */
public final class FabricNode implements Platform, Leadership, PlatformDiagnosis {
  public final MemoryFabric fabric;
  public final FakeLink link = new FakeLink();
  public final FakeCounters counters = new FakeCounters();
  public final List<String> refusals = new ArrayList<>();
  public final Settings settings = new Settings(refusals::add);
  public final NodeJournal journal;
  public ForwardingPlane plane;
  private final Map<String, Object> properties = new HashMap<>();
  private final FakeDiagnosis texts = new FakeDiagnosis();
  private final Epoch epoch = new Epoch();
  private ControllerNode node;

  public FabricNode(MemoryFabric fabric) {
    this.fabric = fabric;
    journal = new NodeJournal(fabric.time.clock());
    for (String file : List.of("agentLinkKey", "agentLinkCertificate", "agentLinkTrust")) {
      properties.put(file, KeyFiles.any());
    }
  }

  /** The application is activated. */
  public FabricNode start() {
    settings.read(properties::get);
    plane = new ForwardingPlane(fabric, settings, journal, fabric.time);
    plane.start();
    node =
        new ControllerNode(
            this,
            plane,
            settings,
            journal,
            fabric.time,
            () -> fabric.time.wallMicros() / 1000,
            parameters -> link,
            counters,
            new FakeSamples());
    node.start();
    fabric.time.advanceMillis(1);
    return this;
  }

  /** An operator sets a property. */
  public void set(String name, Object value) {
    properties.put(name, value);
    settings.read(properties::get);
  }

  /** The platform stops: what switches have stays with them. */
  public void stop() {
    node.stop();
    plane.stop();
  }

  /** An operator deactivates the application. */
  public void deactivate() {
    settings.withdraw();
    stop();
  }

  /** A service that the node offers. */
  public <T> T service(Class<T> type) {
    return type.cast(node.services().get(type));
  }

  @Override
  public String nodeName() {
    return fabric.nodes().local();
  }

  @Override
  public String applicationVersion() {
    return "1.2.3";
  }

  @Override
  public Switches switches() {
    return fabric.switches();
  }

  @Override
  public Topology topology() {
    return plane.topology();
  }

  @Override
  public Attachments attachments() {
    return plane.attachments();
  }

  @Override
  public HostSightings hostSightings() {
    return fabric.hostSightings();
  }

  @Override
  public ForwardingState forwarding() {
    return plane.forwarding();
  }

  @Override
  public EdgeLimits edgeLimits() {
    return plane.forwarding();
  }

  @Override
  public CapMeters capMeters() {
    return plane.caps();
  }

  @Override
  public Mastership mastership() {
    return fabric;
  }

  @Override
  public Leadership leadership() {
    return this;
  }

  @Override
  public ReplicatedStorage storage() {
    return fabric.storage();
  }

  @Override
  public PacketOut packetOut() {
    return fabric;
  }

  @Override
  public PlatformCounters counters() {
    return counters;
  }

  @Override
  public OperatorConfiguration configuration() {
    return fabric.network;
  }

  @Override
  public PlatformDiagnosis diagnosis() {
    return this;
  }

  private ForwardingDiagnosis ofForwarding() {
    return new ForwardingDiagnosis(fabric, plane, settings);
  }

  @Override
  public List<Finding> findings() {
    return ofForwarding().findings(this::settingCommand);
  }

  @Override
  public Collection<Symptom> symptoms() {
    return ofForwarding().symptoms();
  }

  @Override
  public String settingCommand(String setting, String value) {
    return texts.settingCommand(setting, value);
  }

  @Override
  public String capacityRemedy(String port) {
    return texts.capacityRemedy(port);
  }

  @Override
  public String masterRemedy() {
    return texts.masterRemedy();
  }

  @Override
  public String symptomRemedy(Symptom.Kind kind, String datapath) {
    return texts.symptomRemedy(kind, datapath);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void run(String topic) {
    epoch.advance();
  }

  @Override
  public void withdraw(String topic) {
    epoch.advance();
  }

  /** It leads everything. */
  @Override
  public OptionalLong localTerm(String topic) {
    return OptionalLong.of(1);
  }
}
