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
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;
import org.sluice.core.testing.FakeCounters;
import org.sluice.core.testing.FakeDiagnosis;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.FakeSamples;
import org.sluice.core.testing.KeyFiles;
import org.sluice.forwarding.ControllerNode;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.NodePlatform;
import org.sluice.forwarding.spi.ForwardingPlatform;

/**
 * The whole controller with forwarding on a {@link MemoryFabric}, or on what an adapter has in
 * place of parts of it; its agents are a test's.
 */
public class FabricNode implements NodeUnderTest {
  public final MemoryFabric fabric;

  /** Of the node's present life. */
  public FakeLink link;

  public final FakeCounters counters = new FakeCounters();
  public final List<String> refusals = new ArrayList<>();
  public final Settings settings = new Settings(refusals::add);
  public final NodeJournal journal;
  public ForwardingPlane plane;
  private final Map<String, Object> properties = new HashMap<>();
  private ForwardingPlatform platform;
  private ControllerNode node;

  public FabricNode(MemoryFabric fabric) {
    this.fabric = fabric;
    journal = new NodeJournal(fabric.time.clock());
    for (String file : List.of("agentLinkKey", "agentLinkCertificate", "agentLinkTrust")) {
      properties.put(file, KeyFiles.any());
    }
  }

  @Override
  public FabricNode start() {
    settings.read(properties::get);
    link = new FakeLink();
    plane = new ForwardingPlane(platform(), settings, journal, fabric.time);
    plane.start();
    node =
        new ControllerNode(
            new FabricPlatform(),
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

  @Override
  public void set(String name, Object value) {
    properties.put(name, value);
    settings.read(properties::get);
  }

  @Override
  public void stop() {
    node.stop();
    plane.stop();
    end();
  }

  /** What forwarding stands on in a life that begins. */
  protected ForwardingPlatform begin() {
    return fabric;
  }

  /** That life ends. */
  protected void end() {}

  @Override
  public void deactivate() {
    settings.withdraw();
    stop();
  }

  @Override
  public <T> T service(Class<T> type) {
    return type.cast(node.services().get(type));
  }

  @Override
  public FabricUnderTest fabric() {
    return fabric;
  }

  @Override
  public ForwardingPlane plane() {
    return plane;
  }

  @Override
  public ForwardingPlatform platform() {
    platform = begin();
    return platform;
  }

  @Override
  public FakeLink link() {
    return link;
  }

  @Override
  public NodeJournal journal() {
    return journal;
  }

  /** Of Sluice's own forwarding, and of stand-ins for the rest. It leads everything. */
  private final class FabricPlatform extends NodePlatform implements Leadership, PlatformDiagnosis {
    private final FakeDiagnosis texts = new FakeDiagnosis();
    private final Epoch epoch = new Epoch();
    private final ForwardingDiagnosis forwarding;

    FabricPlatform() {
      super(platform, plane);
      forwarding = new ForwardingDiagnosis(platform, plane, settings);
    }

    @Override
    public String applicationVersion() {
      return "1.2.3";
    }

    @Override
    public Leadership leadership() {
      return this;
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

    @Override
    public OptionalLong localTerm(String topic) {
      return OptionalLong.of(1);
    }

    @Override
    public List<Finding> findings() {
      return forwarding.findings(this::settingCommand);
    }

    @Override
    public Collection<Symptom> symptoms() {
      return forwarding.symptoms();
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
  }
}
