// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.deployment.DaDctcpDeployment;
import org.sluice.sim.deployment.DaDctcpSettings;
import org.sluice.sim.deployment.FDctcpDeployment;
import org.sluice.sim.deployment.FDctcpSettings;
import org.sluice.sim.deployment.HintParameters;
import org.sluice.sim.deployment.HyGenIccDeployment;
import org.sluice.sim.deployment.LevelQueueParameters;
import org.sluice.sim.deployment.SluiceDeployment;
import org.sluice.sim.deployment.SluiceParameters;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.Outage;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.Quantity;
import org.sluice.sim.scenario.document.ScenarioException;
import org.sluice.sim.scenario.document.Similar;
import org.sluice.sim.scenario.measure.MaxMinShares;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.hygenicc.HyGenIccSettings;
import org.sluice.sim.shim.law.SdnGccParameters;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;
import org.sluice.sim.shim.queue.Enforcement;

/** The law of a scenario, its control plane and the endpoints' policies. */
final class LawBuilder {
  private final Fields law;
  private final Fields control;
  private final Fields settings;
  private final BuiltScenario built;
  private final int segmentBytes;

  private LawBuilder(Fields root, BuiltScenario built) {
    this.segmentBytes = TrafficBuilder.segmentBytes(root.at("tcp"));
    this.law = root.at("law");
    this.control = root.at("control");
    this.settings = root.at("settings");
    this.built = built;
  }

  /** To be called when the network stands and nothing is sent yet. */
  static void build(Fields root, BuiltScenario built) {
    LawBuilder builder = new LawBuilder(root, built);
    Changes changes = new Changes(built, root.items("changes"));
    SluiceDeployment deployment = builder.deploy();
    for (Fields policy : root.items("policy")) {
      builder.policy(policy, deployment);
    }
    for (Fields tenant : root.items("tenants")) {
      builder.tenant(tenant, deployment);
    }
    changes.arm(Optional.ofNullable(deployment));
    if (deployment != null) { // Not now: who only checks a scenario needs no controller.
      Scheduler scheduler = built.network().scheduler();
      scheduler.arm(Event.running(deployment::start), scheduler.now());
    }
  }

  /** Null where there is no controller. */
  private SluiceDeployment deploy() {
    switch (law.text("name", "none")) {
      case "none":
        return null;
      case "hygenicc":
        built.setControlTraffic(HyGenIccDeployment.install(built.network(), hyGenIcc()));
        return null;
      case "sed":
        return deploy(sed());
      case "microflow":
        return deploy(microFlow());
      case "opentcp":
        return openTcp();
      case "dadctcp":
        built.setControlTraffic(DaDctcpDeployment.install(built.network(), daDctcp(), channel()));
        return null;
      case "fdctcp":
        built.setControlTraffic(
            FDctcpDeployment.install(built.network(), fDctcp(), channel(), built::connections));
        return null;
      default:
        return deploy(sluice());
    }
  }

  private SluiceDeployment openTcp() {
    HintParameters hints = OpenTcpBuilder.hints(law);
    SluiceDeployment deployment =
        deploy(controller(SluiceParameters.builder()).limits(false).hints(hints).build());
    built.setHints(deployment.hints(), hints.routes());
    return deployment;
  }

  private SluiceDeployment deploy(SluiceParameters parameters) {
    SluiceDeployment deployment = SluiceDeployment.prepare(built.network(), parameters);
    built.setControlTraffic(deployment);
    built.setCaps(deployment::caps);
    if (parameters.deadlines().isPresent()) {
      built.setDeadlines(deployment.registrations());
    }
    return deployment;
  }

  private HyGenIccSettings hyGenIcc() {
    HyGenIccSettings settings = RecordOverrides.of(HyGenIccSettings.DEFAULTS, law);
    return settings.with(enforcement(settings.enforcement()), preservesEcn());
  }

  private DaDctcpSettings daDctcp() {
    DaDctcpSettings settings = RecordOverrides.of(DaDctcpSettings.DEFAULTS, law).with(scope());
    if (law.has("period")) {
      positive(law, "period");
    }
    if (settings.mostPackets() < settings.leastPackets()) {
      throw law.problem("mostPackets", "it is below leastPackets", "give at least as much");
    }
    return settings;
  }

  private DaDctcpSettings.Scope scope() {
    return DaDctcpSettings.Scope.valueOf(law.text("scope", "port").toUpperCase(Locale.ROOT));
  }

  private FDctcpSettings fDctcp() {
    if (law.has("period")) {
      positive(law, "period");
    }
    return RecordOverrides.of(FDctcpSettings.DEFAULTS, law);
  }

  /** Micro-flow as published limits nothing in hosts: there are its queues and caps alone. */
  private SluiceParameters microFlow() {
    return controller(SluiceParameters.builder())
        .limits(false)
        .levels(levels(), levelQueues())
        .build();
  }

  private LevelParameters levels() {
    Fields at = law.at("levels");
    LevelParameters defaults = LevelParameters.DEFAULTS;
    try {
      return new LevelParameters(
          at.has("thresholds")
              ? at.texts("thresholds").stream().map(Quantity::bytes).toList()
              : defaults.thresholdsBytes(),
          at.nanos("idle", defaults.idleNanos()));
    } catch (IllegalArgumentException e) {
      throw at.problem("thresholds", "no agent takes them", e.getMessage());
    }
  }

  private LevelQueueParameters levelQueues() {
    return RecordOverrides.of(LevelQueueParameters.DEFAULTS, law.at("levels"));
  }

  /** SED as published: no law holds hosts back, and switches report their queues. */
  private SluiceParameters sed() {
    SluiceParameters.Builder builder =
        SluiceParameters.builder().set(SettingTable.DEADLINES, SettingTable.Deadlines.WITHIN_SHARE);
    return controller(builder).limits(false).portAgents(true).deadlines(deadlines()).build();
  }

  private SedSettings deadlines() {
    return new SedSettings(segmentBytes, law.flag("holdsHandshakes", true));
  }

  private SluiceParameters sluice() {
    SluiceParameters.Builder builder =
        controller(SluiceParameters.builder().set(SettingTable.LAW.name(), law.text("name", "")))
            .twoTimeScale(RecordOverrides.of(TwoTimeScaleParameters.DEFAULTS, law))
            .sdnGcc(sdnGcc())
            .enforcement(enforcement(Enforcement.HTB))
            .preserveEcn(preservesEcn())
            .receiverWindows(law.flag("receiverWindows", true));
    builder.withoutAgent(law.integer("withoutAgent", 0)).forwards(law.flag("forwards", false));
    if (law.has("tau")) {
      builder.tauNanos(positive(law, "tau"));
    }
    if (law.has("bucket")) {
      builder.bucketNanos(positive(law, "bucket"));
    }
    if (law.has("levels")) {
      builder.levels(levels(), levelQueues());
    }
    if (law.flag("deadlines", false)) {
      builder.deadlines(deadlines()).portAgents(true);
    }
    return builder.build();
  }

  /**
   * The controller with its channels and outages, and with the settings that the scenario has;
   * others are as they are.
   */
  private SluiceParameters.Builder controller(SluiceParameters.Builder builder) {
    builder.channel(channel());
    control.items("absent").forEach(absent -> builder.absence(outage(absent)));
    control.items("cutOff").forEach(cutOff -> builder.cutOff(outage(cutOff)));
    if (control.has("period")) {
      long millis = TimeUnit.NANOSECONDS.toMillis(control.nanos("period", 0));
      set(SettingTable.CONTROL_PERIOD_MILLIS, Long.toString(millis), control, "period", builder);
    }
    for (String name : settings.keys()) {
      Optional<Setting<?>> setting =
          SettingTable.all().stream().filter(each -> each.name().equals(name)).findFirst();
      set(
          setting.orElseThrow(() -> unknown(name)),
          settings.text(name, ""),
          settings,
          name,
          builder);
    }
    return builder;
  }

  private ScenarioException unknown(String name) {
    List<String> names = SettingTable.all().stream().map(Setting::name).toList();
    return settings.problem(
        name,
        "the controller has no such setting",
        Similar.nearest(name, names).map(near -> "did you mean " + near + "? ").orElse("")
            + "docs/settings.md has all");
  }

  private static void set(
      Setting<?> setting, String text, Fields at, String key, SluiceParameters.Builder builder) {
    if (setting.parse(text).isEmpty()) {
      throw at.problem(key, "the controller does not accept " + text, "give " + setting.accepted());
    }
    builder.set(setting.name(), text);
  }

  /** The shims' T_i is the controller's, unless it is set apart. */
  private SdnGccParameters sdnGcc() {
    SdnGccParameters defaults = SdnGccParameters.DEFAULTS;
    long period = control.nanos("period", defaults.periodNanos());
    return RecordOverrides.of(
        new SdnGccParameters(
            defaults.cutBitsPerMark(),
            defaults.recoveryDivisor(),
            defaults.minimumShare(),
            defaults.timerNanos(),
            defaults.gracePeriods(),
            defaults.acceptPeriods(),
            period,
            defaults.quietNanos()),
        law);
  }

  private ChannelParameters channel() {
    ChannelParameters defaults = ChannelParameters.DEFAULTS;
    double loss = control.fraction("loss", defaults.loss());
    if (loss >= 1) {
      throw control.problem("loss", "nothing would arrive", "give less than 100 %, or use absent");
    }
    return new ChannelParameters(
        control.nanos("delay", defaults.delayNanos()),
        control.nanos("jitter", defaults.jitterNanos()),
        loss);
  }

  private static Outage outage(Fields absent) {
    long from = absent.nanos("from", 0);
    long to = absent.nanos("to", Outage.FOR_EVER);
    if (to <= from) {
      throw absent.problem("to", "it lies before from", "give a later time, or none for ever");
    }
    return new Outage(from, to);
  }

  private Enforcement enforcement(Enforcement otherwise) {
    return law.has("enforcement")
        ? Enforcement.valueOf(law.text("enforcement", "").toUpperCase(Locale.ROOT))
        : otherwise;
  }

  private boolean preservesEcn() {
    return law.text("ecn", "clear").equals("preserve");
  }

  private static long positive(Fields at, String key) {
    long nanos = at.nanos(key, 0);
    if (nanos <= 0) {
      throw at.problem(key, "it must be above 0", "such as 500 us");
    }
    return nanos;
  }

  private void tenant(Fields at, SluiceDeployment deployment) {
    String name = at.text("name", "");
    long from = at.nanos("at", 0);
    double weight = at.number("weight", 1);
    long guarantee = at.bitsPerSecond("guarantee", 0);
    long ceiling = at.bitsPerSecond("ceiling", 0);
    built
        .maxMin()
        .setDue(
            name,
            new MaxMinShares.Due(
                weight, guarantee, ceiling > 0 ? ceiling : Double.POSITIVE_INFINITY));
    List<Endpoint> members = at.has("endpoints") ? built.endpoints(at, "endpoints") : List.of();
    members.forEach(endpoint -> built.maxMin().setTenant(endpoint, name));
    if (deployment != null) {
      deployment.setTenant(tenantOf(at, weight, guarantee, ceiling), members, from);
    }
  }

  private static Tenant tenantOf(Fields at, double weight, long guarantee, long ceiling) {
    try {
      return Tenant.builder(TenantId.of(at.text("name", "")))
          .weight(weight)
          .guaranteeBitsPerSecond(guarantee)
          .ceilingBitsPerSecond(ceiling)
          .receiveCeilingBitsPerSecond(at.bitsPerSecond("receiveCeiling", 0))
          .build();
    } catch (SluiceException | IllegalArgumentException e) {
      throw at.problem("name", "there cannot be such a tenant", e.getMessage());
    }
  }

  private void policy(Fields at, SluiceDeployment deployment) {
    long from = at.nanos("at", 0);
    for (Endpoint endpoint : built.endpoints(at, "endpoints")) {
      if (at.has("weight")) {
        built.shares().setWeight(endpoint, at.number("weight", 1), from);
        built.maxMin().setWeight(endpoint, at.number("weight", 1));
      }
      if (at.has("guarantee")) {
        built.maxMin().setGuarantee(endpoint, at.bitsPerSecond("guarantee", 0));
      }
      if (at.has("ceiling")) {
        built.maxMin().setCeiling(endpoint, at.bitsPerSecond("ceiling", 0));
      }
      if (deployment == null) {
        continue;
      }
      if (at.has("weight")) {
        deployment.setWeight(endpoint, at.number("weight", 1), from);
      }
      if (at.has("guarantee")) {
        deployment.setGuarantee(endpoint, at.bitsPerSecond("guarantee", 0), from);
      }
      if (at.has("ceiling")) {
        deployment.setCeiling(endpoint, at.bitsPerSecond("ceiling", 0), from);
      }
      if (at.has("receiveCeiling")) {
        deployment.setReceiveCeiling(endpoint, at.bitsPerSecond("receiveCeiling", 0), from);
      }
    }
  }
}
