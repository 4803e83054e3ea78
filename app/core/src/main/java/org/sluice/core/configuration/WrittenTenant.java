// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.json.TenantJson;

/** A tenant as people write it: as in REST, but with its rates in Mbit/s, and named so. */
public final class WrittenTenant {
  private static final String MEGABITS = "Mbps";
  private static final String BITS = "BitsPerSecond";

  private WrittenTenant() {}

  static Tenant read(JsonNode written, String path) throws SluiceException {
    JsonNode inBits = written.deepCopy();
    for (Iterator<String> names = written.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      String field = path + "." + name;
      JsonNode value = written.get(name);
      if (name.endsWith(BITS)) {
        throw SluiceException.invalid(
            field, value, "There is no such field", "Use " + megabits(name));
      }
      if (name.endsWith(MEGABITS)) {
        boolean isRate = value.isNumber() && Double.isFinite(value.doubleValue());
        ObjectNode tenant = (ObjectNode) inBits;
        tenant.set(
            name.replace(MEGABITS, BITS),
            isRate ? new LongNode(MegabitRate.toBits(field, value.decimalValue())) : value);
        tenant.remove(name);
      }
    }
    try {
      return TenantJson.read(inBits, path);
    } catch (SluiceException e) {
      throw inMegabits(e);
    }
  }

  /** A refusal in the names and the unit of what is written. */
  public static SluiceException inMegabits(SluiceException refusal) {
    String field = refusal.field().orElse("");
    String value = refusal.value();
    if (field.endsWith(BITS) && value.matches("[0-9]{1,18}")) {
      value = MegabitRate.fromBits(Long.parseLong(value)).toPlainString();
    }
    return new SluiceException(
        refusal.kind(), megabits(field), value, refusal.getMessage(), megabits(refusal.remedy()));
  }

  private static String megabits(String names) {
    return names.replace(BITS, MEGABITS);
  }
}
