// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.policy.HostGroup;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyConstraints;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;

/** The fields of a policy set in JSON. What is null takes its default. */
@JsonPropertyOrder({"version", "name", "cycleSeconds", "constraints", "groups", "policies"})
public final class PolicySetDto {
  /** Of the form itself. */
  static final int VERSION = 1;

  @JsonProperty BigDecimal version;
  @JsonProperty String name;
  @JsonProperty BigDecimal cycleSeconds;
  @JsonProperty ConstraintsDto constraints;
  @JsonProperty List<GroupDto> groups;
  @JsonProperty List<PolicyDto> policies;

  /** For one that is still to be read. */
  PolicySetDto() {}

  public PolicySetDto(PolicySet set) {
    version = BigDecimal.valueOf(VERSION);
    name = set.name();
    cycleSeconds = PolicyUnits.seconds(set.cycleNanos());
    constraints = new ConstraintsDto(set.constraints());
    groups = set.groups().stream().map(GroupDto::new).collect(Collectors.toList());
    policies = set.policies().stream().map(PolicyDto::new).collect(Collectors.toList());
  }

  /** What no policy may do. */
  @JsonPropertyOrder({
    "utilisationPercent",
    "dropPercent",
    "leastRtoMinMillis",
    "mostInitialWindow",
    "congestionControls"
  })
  public static final class ConstraintsDto {
    /** Beside null, which is no limit, there is not given, which is the default. */
    @JsonProperty
    BigDecimal utilisationPercent = PolicyUnits.percent(PolicyConstraints.UTILISATION);

    @JsonProperty BigDecimal dropPercent = PolicyUnits.percent(PolicyConstraints.DROP_RATE);
    @JsonProperty BigDecimal leastRtoMinMillis;
    @JsonProperty BigDecimal mostInitialWindow;
    @JsonProperty List<String> congestionControls;

    ConstraintsDto() {}

    ConstraintsDto(PolicyConstraints constraints) {
      utilisationPercent = PolicyUnits.percent(constraints.guard().utilisation());
      dropPercent = PolicyUnits.percent(constraints.guard().dropRate());
      leastRtoMinMillis = PolicyUnits.millis(constraints.leastRtoMinNanos());
      mostInitialWindow = BigDecimal.valueOf(constraints.mostInitialWindowSegments());
      congestionControls = constraints.congestionControls();
    }
  }

  /** A group of hosts. */
  @JsonPropertyOrder({"name", "hosts"})
  public static final class GroupDto {
    @JsonProperty String name;
    @JsonProperty List<HostId> hosts;

    GroupDto() {}

    GroupDto(HostGroup group) {
      name = group.name();
      hosts = group.hosts();
    }
  }

  /** A policy. */
  @JsonPropertyOrder({
    "name",
    "for",
    "from",
    "to",
    "links",
    "enterBelow",
    "leaveAt",
    "leastCycles",
    "hints"
  })
  public static final class PolicyDto {
    @JsonProperty String name;

    @JsonProperty("for")
    String scope;

    @JsonProperty("from")
    List<String> sources;

    @JsonProperty("to")
    List<String> destinations;

    @JsonProperty String links;
    @JsonProperty LimitsDto enterBelow;
    @JsonProperty LimitsDto leaveAt;
    @JsonProperty BigDecimal leastCycles;
    @JsonProperty HintDto hints;

    PolicyDto() {}

    PolicyDto(Policy policy) {
      name = policy.name();
      scope = PolicyUnits.name(policy.scope());
      sources = policy.sources();
      destinations = policy.destinations();
      links = PolicyUnits.name(policy.links());
      enterBelow = new LimitsDto(policy.enterBelow());
      leaveAt = new LimitsDto(policy.leaveAt());
      leastCycles = BigDecimal.valueOf(policy.leastCycles());
      hints = new HintDto(policy.hint());
    }
  }

  /** Limits; what is not given is not limited. */
  @JsonPropertyOrder({"utilisationPercent", "dropPercent"})
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public static final class LimitsDto {
    @JsonProperty BigDecimal utilisationPercent;
    @JsonProperty BigDecimal dropPercent;

    LimitsDto() {}

    LimitsDto(Limits limits) {
      utilisationPercent = PolicyUnits.percent(limits.utilisation());
      dropPercent = PolicyUnits.percent(limits.dropRate());
    }
  }

  /** TCP parameters; what is not given is the host's own. */
  @JsonPropertyOrder({"initialWindow", "rtoMinMillis", "congestionControl", "pacingBitsPerSecond"})
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public static final class HintDto {
    @JsonProperty BigDecimal initialWindow;
    @JsonProperty BigDecimal rtoMinMillis;
    @JsonProperty String congestionControl;
    @JsonProperty Long pacingBitsPerSecond;

    HintDto() {}

    public HintDto(TcpHint hint) {
      initialWindow =
          hint.initialWindowSegments() == 0
              ? null
              : BigDecimal.valueOf(hint.initialWindowSegments());
      rtoMinMillis = hint.rtoMinNanos() == 0 ? null : PolicyUnits.millis(hint.rtoMinNanos());
      congestionControl = hint.congestionControl().isEmpty() ? null : hint.congestionControl();
      pacingBitsPerSecond = Json.rateOrNull(hint.pacingBitsPerSecond());
    }
  }
}
