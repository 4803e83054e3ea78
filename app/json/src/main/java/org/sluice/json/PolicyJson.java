// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import static org.sluice.json.PolicyShape.below;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.HostGroup;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyConstraints;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;
import org.sluice.json.PolicySetDto.ConstraintsDto;
import org.sluice.json.PolicySetDto.GroupDto;
import org.sluice.json.PolicySetDto.HintDto;
import org.sluice.json.PolicySetDto.LimitsDto;
import org.sluice.json.PolicySetDto.PolicyDto;

/**
 * Policy sets as JSON ({@code api/policies/policy-set.schema.json}), the same wherever they are
 * written: in requests, in files, in stores. YAML is read into the same tree.
 */
public final class PolicyJson {
  private PolicyJson() {}

  /** The set with all of its fields, in an order that never changes. */
  public static ObjectNode write(PolicySet set) {
    return Json.tree(new PolicySetDto(set));
  }

  /**
   * Reads a set; what is not given takes its default.
   *
   * @param path where it stands in the whole ({@code law.policies}), for refusals; may be empty
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static PolicySet read(JsonNode json, String path) throws SluiceException {
    PolicyShape.check(json, path);
    PolicySetDto dto = Json.bind(json, new PolicySetDto(), path);
    version(dto.version, below(path, "version"));
    PolicySet.Builder set = PolicySet.builder(required(dto.name, below(path, "name")));
    if (dto.cycleSeconds != null) {
      set.cycleNanos(PolicyUnits.nanosOfSeconds(dto.cycleSeconds, below(path, "cycleSeconds")));
    }
    if (dto.constraints != null) {
      set.constraints(constraints(dto.constraints, below(path, "constraints")));
    }
    set.groups(groups(dto.groups, below(path, "groups")));
    set.policies(policies(dto.policies, below(path, "policies")));
    try {
      return set.build();
    } catch (SluiceException e) {
      throw SluiceException.invalid(
          below(path, e.field().orElse("")), e.value(), e.getMessage(), e.remedy());
    }
  }

  /**
   * Reads which revision is to be in force again.
   *
   * @return its number, above 0
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static long readRollback(ObjectNode json) throws SluiceException {
    PolicyRollbackDto dto = Json.bind(json, new PolicyRollbackDto(), "");
    if (dto.revision == null) {
      throw SluiceException.invalid(
          "revision", "", "This is missing", "Give the number of an earlier revision");
    }
    long revision = PolicyUnits.count(dto.revision, "revision");
    if (revision < 1) {
      throw SluiceException.invalid(
          "revision", revision, "There is no such revision", "Use 1 or more");
    }
    return revision;
  }

  /** A later release's form may mean something else by the same fields. */
  private static void version(BigDecimal version, String field) throws SluiceException {
    if (version != null && version.compareTo(BigDecimal.valueOf(PolicySetDto.VERSION)) != 0) {
      throw SluiceException.invalid(
          field,
          version,
          "This release does not support that version of the form",
          "Use " + PolicySetDto.VERSION + ", or leave it out");
    }
  }

  private static PolicyConstraints constraints(ConstraintsDto dto, String path)
      throws SluiceException {
    PolicyConstraints.Builder constraints =
        PolicyConstraints.builder()
            .guard(
                Limits.of(
                    PolicyUnits.fraction(dto.utilisationPercent, below(path, "utilisationPercent")),
                    PolicyUnits.fraction(dto.dropPercent, below(path, "dropPercent"))));
    if (dto.leastRtoMinMillis != null) {
      constraints.leastRtoMinNanos(
          PolicyUnits.nanosOfMillis(dto.leastRtoMinMillis, below(path, "leastRtoMinMillis")));
    }
    if (dto.mostInitialWindow != null) {
      constraints.mostInitialWindowSegments(
          PolicyUnits.count(dto.mostInitialWindow, below(path, "mostInitialWindow")));
    }
    if (dto.congestionControls != null) {
      constraints.congestionControls(dto.congestionControls);
    }
    return constraints.build();
  }

  private static List<HostGroup> groups(List<GroupDto> dtos, String path) throws SluiceException {
    List<HostGroup> groups = new ArrayList<>();
    for (GroupDto dto : dtos == null ? List.<GroupDto>of() : dtos) {
      String field = path + "[" + groups.size() + "]";
      List<HostId> hosts = dto.hosts == null ? List.of() : dto.hosts;
      groups.add(HostGroup.of(required(dto.name, below(field, "name")), hosts));
    }
    return groups;
  }

  private static List<Policy> policies(List<PolicyDto> dtos, String path) throws SluiceException {
    List<Policy> policies = new ArrayList<>();
    for (PolicyDto dto : dtos == null ? List.<PolicyDto>of() : dtos) {
      policies.add(policy(dto, path + "[" + policies.size() + "]"));
    }
    return policies;
  }

  private static Policy policy(PolicyDto dto, String path) throws SluiceException {
    Policy.Builder policy = Policy.builder(required(dto.name, below(path, "name")));
    if (dto.scope != null) {
      policy.scope(PolicyUnits.constant(Policy.Scope.class, dto.scope, below(path, "for")));
    }
    if (dto.links != null) {
      policy.links(PolicyUnits.constant(Policy.Links.class, dto.links, below(path, "links")));
    }
    if (dto.sources != null) {
      policy.sources(dto.sources);
    }
    if (dto.destinations != null) {
      policy.destinations(dto.destinations);
    }
    Limits enter = limits(dto.enterBelow, below(path, "enterBelow"));
    policy.enterBelow(enter);
    policy.leaveAt(dto.leaveAt == null ? enter : limits(dto.leaveAt, below(path, "leaveAt")));
    if (dto.leastCycles != null) {
      policy.leastCycles(PolicyUnits.count(dto.leastCycles, below(path, "leastCycles")));
    }
    if (dto.hints != null) {
      policy.hint(hint(dto.hints, below(path, "hints")));
    }
    return policy.build();
  }

  private static Limits limits(LimitsDto dto, String path) throws SluiceException {
    return dto == null
        ? Limits.NONE
        : Limits.of(
            PolicyUnits.fraction(dto.utilisationPercent, below(path, "utilisationPercent")),
            PolicyUnits.fraction(dto.dropPercent, below(path, "dropPercent")));
  }

  private static TcpHint hint(HintDto dto, String path) throws SluiceException {
    TcpHint.Builder hint = TcpHint.builder();
    if (dto.initialWindow != null) {
      hint.initialWindowSegments(
          given(
              PolicyUnits.count(dto.initialWindow, below(path, "initialWindow")),
              below(path, "initialWindow")));
    }
    if (dto.rtoMinMillis != null) {
      String field = below(path, "rtoMinMillis");
      hint.rtoMinNanos(given(PolicyUnits.nanosOfMillis(dto.rtoMinMillis, field), field));
    }
    if (dto.congestionControl != null) {
      hint.congestionControl(required(dto.congestionControl, below(path, "congestionControl")));
    }
    if (dto.pacingBitsPerSecond != null) {
      hint.pacingBitsPerSecond(given(dto.pacingBitsPerSecond, below(path, "pacingBitsPerSecond")));
    }
    return hint.build();
  }

  /** Within, 0 stands for what is not given. */
  private static int given(int value, String field) throws SluiceException {
    return (int) given((long) value, field);
  }

  private static long given(long value, String field) throws SluiceException {
    if (value == 0) {
      throw SluiceException.invalid(
          field, value, "This cannot be 0", "Leave it out for the host's own");
    }
    return value;
  }

  private static String required(String value, String field) throws SluiceException {
    if (value == null || value.isEmpty()) {
      throw SluiceException.invalid(
          field, "", "This is missing or empty", "Use a name such as fast");
    }
    return value;
  }
}
