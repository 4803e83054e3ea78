// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.config.Config;
import org.onosproject.net.config.InvalidFieldException;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.rest.json.TenantJson;

/**
 * The network configuration {@code apps/org.sluice/sluice}: {@code {"ports":
 * {"of:0000000000000001/5": {"capacityMbps": 50}}, "tenants": [...]}}.
 */
public class SluiceConfig extends Config<ApplicationId> {
  /** The key under the application's name. */
  public static final String KEY = "sluice";

  static final String PORTS = "ports";
  static final String TENANTS = "tenants";
  static final String CAPACITY = "capacityMbps";

  @Override
  public boolean isValid() {
    hasOnlyFields(PORTS, TENANTS);
    checkPorts(object.path(PORTS));
    readTenants();
    return true;
  }

  /** Configured capacities, bit/s. */
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    Map<PortId, Long> capacities = new TreeMap<>();
    object
        .path(PORTS)
        .fields()
        .forEachRemaining(
            port -> capacities.put(PortId.parse(port.getKey()), capacity(port.getValue(), PORTS)));
    return capacities;
  }

  private static long capacity(JsonNode port, String path) {
    JsonNode capacity = port.path(CAPACITY);
    String field = path + "." + CAPACITY;
    boolean finite = capacity.isNumber() && Double.isFinite(capacity.doubleValue());
    if (!finite || capacity.decimalValue().signum() <= 0) {
      throw new InvalidFieldException(
          field, "'" + capacity.asText() + "' is no capacity: use Mbit/s above 0");
    }
    try {
      return MegabitRate.toBits(field, capacity.decimalValue());
    } catch (SluiceException e) {
      throw refused(e, field);
    }
  }

  /**
   * The same refusal in ONOS's form; {@code path} is where it stands, if it does not say itself.
   */
  private static InvalidFieldException refused(SluiceException e, String path) {
    String field = e.field().orElse("");
    return new InvalidFieldException(
        field.startsWith(path) ? field : path + (field.isEmpty() ? "" : ".") + field,
        "'" + e.value() + "': " + e.getMessage() + ". " + e.remedy());
  }

  /** Tenants that hold until somebody changes them. */
  public List<Tenant> tenants() {
    return readTenants();
  }

  private void checkPorts(JsonNode ports) {
    if (!ports.isMissingNode() && !ports.isObject()) {
      throw new InvalidFieldException(
          PORTS, "use {\"of:0000000000000001/5\": {\"capacityMbps\": 50}, ...}");
    }
    for (Iterator<Map.Entry<String, JsonNode>> fields = ports.fields(); fields.hasNext(); ) {
      Map.Entry<String, JsonNode> port = fields.next();
      String path = PORTS + "." + port.getKey();
      try {
        if (PortId.parse(port.getKey()).isReceiver()) {
          throw new InvalidFieldException(
              path, "use a switch's port: this one has its tenant's receiveCeilingMbps");
        }
      } catch (IllegalArgumentException e) {
        throw new InvalidFieldException(path, e.getMessage());
      }
      if (!port.getValue().isObject()) {
        throw new InvalidFieldException(path, "use {\"capacityMbps\": 50}");
      }
      hasOnlyFields((ObjectNode) port.getValue(), CAPACITY);
      capacity(port.getValue(), path);
    }
  }

  private List<Tenant> readTenants() {
    JsonNode nodes = object.path(TENANTS);
    if (!nodes.isMissingNode() && !nodes.isArray()) {
      throw new InvalidFieldException(TENANTS, "use a list of tenants as REST takes them");
    }
    List<Tenant> tenants = new ArrayList<>();
    Set<Object> ids = new HashSet<>();
    for (JsonNode node : nodes) {
      String path = TENANTS + "[" + tenants.size() + "]";
      try {
        Tenant tenant = TenantJson.read(node, path);
        if (!ids.add(tenant.id())) {
          throw new InvalidFieldException(
              path + ".id", "the id '" + tenant.id() + "' stands twice");
        }
        tenants.add(tenant);
      } catch (SluiceException e) {
        throw refused(e, path);
      }
    }
    return tenants;
  }
}
