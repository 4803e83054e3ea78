// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.WARNING;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sluice.api.Finding;
import org.sluice.api.MegabitRate;
import org.sluice.api.TenantId;
import org.sluice.core.spi.OperatorCommand;
import org.sluice.engine.control.ScaledFloors;

/**
 * Whether ports can keep what is guaranteed to those who are active there. Admission evaluates NICs
 * and edge ports alone: which ports in the core a tenant will use is not known before.
 */
final class FloorCheck implements Check {

  @Override
  public List<Finding> examine(Condition condition) {
    return condition.scaledFloors().stream()
        .map(floors -> finding(condition, floors))
        .collect(Collectors.toList());
  }

  private static Finding finding(Condition condition, ScaledFloors floors) {
    List<String> tenants =
        floors.tenants().stream().map(TenantId::name).collect(Collectors.toList());
    return Finding.of(
        WARNING,
        floors.port().toString(),
        String.format(
            Locale.ROOT,
            "Guarantees and promised deadlines of %s %s come to %s Mbit/s there, more than 90 %% of"
                + " its %s Mbit/s: each has %.2f of its floor",
            tenants.size() == 1 ? "tenant" : "tenants",
            Check.some(tenants),
            MegabitRate.fromBits(floors.floorsBitsPerSecond()),
            MegabitRate.fromBits(floors.capacityBitsPerSecond()),
            floors.scale()),
        "Guarantee less ("
            + condition
                .platform()
                .command(
                    OperatorCommand.SET_TENANT,
                    (tenants.isEmpty() ? "TENANT" : tenants.get(0)) + " --guarantee MBPS")
            + "), or bring endpoints where their traffic takes other ports");
  }
}
