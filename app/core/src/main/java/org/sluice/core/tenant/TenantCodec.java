// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.json.TenantJson;

/** All tenants as one text, for the store. JSON, so that another version can read it. */
final class TenantCodec {
  /** Exact, so that what cannot be read is written back as it was. */
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .setNodeFactory(JsonNodeFactory.withExactBigDecimals(true))
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  private TenantCodec() {}

  static String write(StoredTenants tenants) {
    ArrayNode array = MAPPER.createArrayNode();
    tenants.table().tenants().forEach(tenant -> array.add(TenantJson.write(tenant)));
    tenants.unreadable().forEach(one -> array.add(one.json()));
    return array.toString();
  }

  /**
   * What {@link #write} wrote, in this release or another.
   *
   * @throws SluiceException UNAVAILABLE if it is not a list at all
   */
  static StoredTenants read(String text) throws SluiceException {
    JsonNode list;
    try {
      list = MAPPER.readTree(text);
    } catch (IOException e) {
      throw UnreadableTenant.wholeText(text, "it is no JSON");
    }
    if (list == null || !list.isArray()) {
      throw UnreadableTenant.wholeText(text, "it is not a list");
    }
    List<Tenant> tenants = new ArrayList<>();
    List<UnreadableTenant> unreadable = new ArrayList<>();
    for (JsonNode node : list) {
      try {
        tenants.add(TenantJson.read(node, ""));
      } catch (SluiceException e) {
        unreadable.add(new UnreadableTenant(node, e));
      }
    }
    return new StoredTenants(TenantSnapshot.of(tenants), unreadable);
  }
}
