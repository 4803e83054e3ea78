// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.onosproject.app.ApplicationService;
import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.cfg.ConfigProperty;
import org.onosproject.core.VersionService;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.sluice.onos.forwarding.OtherForwarder;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingService;

/** ONOS around us, and how we are set. */
@Component(immediate = true, service = Surroundings.class)
public class Surroundings {
  /** ONOS's component that decides about rules that its store does not know. */
  static final String FLOW_RULE_MANAGER = "org.onosproject.net.flow.impl.FlowRuleManager";

  static final String EXTRANEOUS_RULES = "allowExtraneousRules";

  @Reference VersionService version;
  @Reference ComponentConfigService componentConfig;
  @Reference ApplicationService applications;
  @Reference SettingService settings;

  Condition.Builder describe(Condition.Builder condition) {
    Parameters parameters = settings.parameters();
    return condition
        .now(Instant.now())
        .onosVersion(version.version().toString())
        .extraneousRulesAllowed(extraneousRulesAllowed())
        .parameters(parameters)
        .otherForwarder(new OtherForwarder(applications).active())
        .unreadableFiles(unreadable(parameters));
  }

  private Optional<Boolean> extraneousRulesAllowed() {
    ConfigProperty property = componentConfig.getProperty(FLOW_RULE_MANAGER, EXTRANEOUS_RULES);
    return Optional.ofNullable(property).map(ConfigProperty::asBoolean);
  }

  private static List<String> unreadable(Parameters parameters) {
    return Stream.of(
            parameters.agentLinkKey(),
            parameters.agentLinkCertificate(),
            parameters.agentLinkTrust())
        .filter(file -> !file.isEmpty() && !Files.isReadable(Path.of(file)))
        .collect(Collectors.toList());
  }
}
