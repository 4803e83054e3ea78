// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.Finding;
import org.sluice.core.spi.OperatorCommand;

/** Addresses that endpoints claim in vain, or that say nothing about their tenant. */
final class AddressCheck implements Check {

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    condition
        .refusedAddresses()
        .forEach(
            (endpoint, refused) ->
                found.add(
                    Finding.of(
                        WARNING,
                        "endpoint " + endpoint,
                        "It does not get the addresses it claims: "
                            + Check.some(
                                refused.entrySet().stream()
                                    .map(each -> each.getKey() + " (" + each.getValue() + ")")
                                    .collect(Collectors.toList())),
                        "If they are its own: make them members of its tenant ("
                            + set(condition, "--add-member ADDRESS/32")
                            + "), or, where"
                            + " another endpoint claims them, give them to it by \"addresses\" of"
                            + " Sluice's network configuration; else find out who controls "
                            + endpoint.host())));
    condition
        .learnedStrangers()
        .forEach(
            (endpoint, ip) ->
                found.add(
                    Finding.of(
                        WARNING,
                        "endpoint " + endpoint,
                        "It is in tenant default: its address "
                            + ip
                            + " lies in a tenant's prefix, but its agent only learned it from"
                            + " packets",
                        set(condition, "--member " + endpoint)
                            + " (or its MAC), or on "
                            + endpoint.host()
                            + ": endpoints.learnWithin in agent.yaml, or its addresses there")));
    return found;
  }

  private static String set(Condition condition, String options) {
    return condition.platform().command(OperatorCommand.SET_TENANT, "TENANT " + options);
  }
}
