// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.config.Config;
import org.onosproject.net.config.InvalidFieldException;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Inventory;
import org.sluice.json.TenantJson;

/**
 * The network configuration {@code apps/org.sluice/sluice}: {@code {"ports":
 * {"of:0000000000000001/5": {"capacityMbps": 50}}, "tenants": [...], "gateways": ["10.0.0.1"],
 * "addresses": {"10.0.0.7": "h1/vm0", "10.0.0.8": "02:00:00:00:01:08"}}}.
 */
public class SluiceConfig extends Config<ApplicationId> {
  /** The key under the application's name. */
  public static final String KEY = "sluice";

  static final String PORTS = "ports";
  static final String TENANTS = "tenants";
  static final String GATEWAYS = "gateways";
  static final String ADDRESSES = "addresses";
  static final String CAPACITY = "capacityMbps";

  @Override
  public boolean isValid() {
    hasOnlyFields(PORTS, TENANTS, GATEWAYS, ADDRESSES);
    checkPorts(object.path(PORTS));
    readTenants();
    inventory();
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
          field, "'" + capacity.asText() + "' is not a capacity: use Mbit/s above 0");
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

  /** Whose addresses are. */
  public Inventory inventory() {
    Set<IpAddress> gateways = new LinkedHashSet<>();
    JsonNode listed = object.path(GATEWAYS);
    if (!listed.isMissingNode() && !listed.isArray()) {
      throw new InvalidFieldException(GATEWAYS, "use a list of addresses, such as [\"10.0.0.1\"]");
    }
    for (JsonNode each : listed) {
      gateways.add(address(GATEWAYS + "[" + gateways.size() + "]", each.asText()));
    }
    Map<IpAddress, EndpointId> endpoints = new HashMap<>();
    Map<IpAddress, MacAddress> macs = new HashMap<>();
    JsonNode owners = object.path(ADDRESSES);
    if (!owners.isMissingNode() && !owners.isObject()) {
      throw new InvalidFieldException(
          ADDRESSES, "use {\"10.0.0.7\": \"h1/vm0\", \"10.0.0.8\": \"02:00:00:00:01:08\"}");
    }
    for (Iterator<Map.Entry<String, JsonNode>> fields = owners.fields(); fields.hasNext(); ) {
      Map.Entry<String, JsonNode> owner = fields.next();
      String path = ADDRESSES + "." + owner.getKey();
      IpAddress ip = address(path, owner.getKey());
      if (gateways.contains(ip)) {
        throw new InvalidFieldException(path, "it is among the gateways: remove it there");
      }
      if (owner.getValue().asText().contains("/")) {
        endpoints.put(ip, endpoint(path, owner.getValue().asText()));
      } else {
        macs.put(ip, mac(path, owner.getValue().asText()));
      }
    }
    return Inventory.of(gateways, endpoints, macs);
  }

  private static IpAddress address(String path, String text) {
    try {
      return IpAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidFieldException(path, e.getMessage());
    }
  }

  private static EndpointId endpoint(String path, String text) {
    int slash = text.indexOf('/');
    try {
      return EndpointId.of(HostId.of(text.substring(0, slash)), text.substring(slash + 1));
    } catch (IllegalArgumentException e) {
      throw new InvalidFieldException(path, e.getMessage());
    }
  }

  private static MacAddress mac(String path, String text) {
    try {
      return MacAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidFieldException(
          path, "use HOST/INTERFACE or a MAC address: " + e.getMessage());
    }
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
              path + ".id", "the id '" + tenant.id() + "' occurs twice");
        }
        tenants.add(tenant);
      } catch (SluiceException e) {
        throw refused(e, path);
      }
    }
    return tenants;
  }
}
