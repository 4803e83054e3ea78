// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.tenant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.rest.json.TenantJson;

/** All tenants as one text, for the store. JSON, so that another version can read it. */
final class TenantCodec {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private TenantCodec() {}

  static String write(Collection<Tenant> tenants) {
    ArrayNode array = MAPPER.createArrayNode();
    tenants.forEach(tenant -> array.add(TenantJson.write(tenant)));
    return array.toString();
  }

  /**
   * What {@link #write} wrote.
   *
   * @throws IllegalStateException if somebody else wrote it
   */
  static List<Tenant> read(String text) {
    try {
      List<Tenant> tenants = new ArrayList<>();
      for (JsonNode node : MAPPER.readTree(text)) {
        tenants.add(TenantJson.read(node, "tenants[" + tenants.size() + "]"));
      }
      return tenants;
    } catch (IOException | SluiceException e) {
      throw new IllegalStateException("The store of tenants cannot be read: " + text, e);
    }
  }
}
