// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.ClockTime;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;

/** Lists congestion control policies. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-policies",
    description =
        "Lists which congestion control policies are in force, what they decide on what evidence,"
            + " and the hints that hosts get")
public final class PoliciesCommand extends ListCommand {
  private static final int NANO_DIGITS = 9;
  private static final PolicyPreview NOTHING = PolicyPreview.of(List.of(), List.of());

  @Option(name = "-r", aliases = "--history", description = "List what was in force before")
  private boolean history;

  @Option(
      name = "-o",
      aliases = "--hosts",
      description = "List the hints that hosts were sent, and what they report of them")
  private boolean hosts;

  @Override
  void list() throws SluiceException, JsonProcessingException {
    PolicyService policies = service(PolicyService.class);
    if (history) {
      show(PolicyListings.REVISIONS, policies.history());
    } else if (hosts) {
      show(PolicyListings.HOSTS, policies.hosts());
    } else {
      show(policies);
    }
  }

  private void show(PolicyService policies) throws SluiceException, JsonProcessingException {
    Optional<PolicyRevision> current = policies.current();
    Optional<PolicyFinding> fault = policies.fault();
    PolicyPreview state = policies.state().orElse(NOTHING);
    if (outputJson()) {
      ObjectNode json = mapper().createObjectNode();
      json.set("current", first(PolicyListings.REVISIONS.json(listOf(current)).path("revisions")));
      json.put("evaluatedHere", policies.isEvaluating());
      json.set("fault", first(PolicyListings.FINDINGS.json(listOf(fault)).path("findings")));
      json.setAll(PolicyListings.DECISIONS.json(state.decisions()));
      json.setAll(PolicyListings.HINTS.json(state.hints()));
      print("%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json));
      return;
    }
    print("%s", headline(current));
    if (fault.isPresent()) {
      print("%s", fault.get().message() + ". " + fault.get().remedy() + ".");
    }
    if (current.flatMap(PolicyRevision::set).isPresent()) {
      if (!policies.isEvaluating()) {
        print("Another node of the cluster evaluates them: this command shows there what they do.");
      } else if (fault.isEmpty()) {
        print("%s", PolicyListings.DECISIONS.table(state.decisions()));
        print("%s", PolicyListings.HINTS.table(state.hints()));
      }
    }
  }

  private static <T> List<T> listOf(Optional<T> value) {
    return value.map(List::of).orElse(List.of());
  }

  /** Null if there is none. */
  private JsonNode first(JsonNode array) {
    return array.isEmpty() ? mapper().nullNode() : array.get(0);
  }

  private static String headline(Optional<PolicyRevision> current) {
    Optional<PolicySet> set = current.flatMap(PolicyRevision::set);
    if (set.isEmpty()) {
      return "No policies are in force.";
    }
    return String.format(
        "Policies %s are in force, as revision %d, by %s at %s; every %s s.",
        set.get().name(),
        current.get().number(),
        current.get().author(),
        ClockTime.text(current.get().time()),
        seconds(set.get()));
  }

  /** T of a set, s. */
  private static String seconds(PolicySet set) {
    return BigDecimal.valueOf(set.cycleNanos(), NANO_DIGITS).stripTrailingZeros().toPlainString();
  }
}
