// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.configuration;

import static org.sluice.api.SluiceException.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.core.spi.Inventory;

/**
 * What an operator wrote into the platform's configuration: {@code {"ports":
 * {"of:0000000000000001/5": {"capacityMbps": 50}}, "tenants": [...], "gateways": ["10.0.0.1"],
 * "addresses": {"10.0.0.7": "h1/vm0", "10.0.0.8": "02:00:00:00:01:08"}}}. Immutable.
 */
public final class OperatorDocument {
  /** Nothing is written. */
  public static final OperatorDocument EMPTY =
      new OperatorDocument(Map.of(), List.of(), Inventory.EMPTY);

  private static final String PORTS = "ports";
  private static final String TENANTS = "tenants";
  private static final String GATEWAYS = "gateways";
  private static final String ADDRESSES = "addresses";
  private static final String CAPACITY = "capacityMbps";

  private final Map<PortId, Long> capacities;
  private final List<Tenant> tenants;
  private final Inventory inventory;

  private OperatorDocument(
      Map<PortId, Long> capacities, List<Tenant> tenants, Inventory inventory) {
    this.capacities = Map.copyOf(capacities);
    this.tenants = List.copyOf(tenants);
    this.inventory = inventory;
  }

  /**
   * Reads a document.
   *
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static OperatorDocument read(JsonNode json) throws SluiceException {
    checkFields(json, "", Set.of(PORTS, TENANTS, GATEWAYS, ADDRESSES));
    return new OperatorDocument(readPorts(json), readTenants(json), readInventory(json));
  }

  /** Capacities of ports, bit/s. */
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    return capacities;
  }

  /** Tenants that hold until somebody changes them. */
  public List<Tenant> tenants() {
    return tenants;
  }

  /** Whose addresses are. */
  public Inventory inventory() {
    return inventory;
  }

  private static void checkFields(JsonNode json, String path, Set<String> known)
      throws SluiceException {
    for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw invalid(
            path + name, json.get(name), "This field is not known", "Use one of " + known);
      }
    }
  }

  private static JsonNode object(JsonNode json, String name, String example)
      throws SluiceException {
    JsonNode value = json.path(name);
    if (!value.isMissingNode() && !value.isObject()) {
      throw invalid(name, value, "This is no object", "Use " + example);
    }
    return value;
  }

  private static JsonNode list(JsonNode json, String name, String example) throws SluiceException {
    JsonNode value = json.path(name);
    if (!value.isMissingNode() && !value.isArray()) {
      throw invalid(name, value, "This is no list", "Use " + example);
    }
    return value;
  }

  private static Map<PortId, Long> readPorts(JsonNode json) throws SluiceException {
    JsonNode ports =
        object(json, PORTS, "{\"of:0000000000000001/5\": {\"capacityMbps\": 50}, ...}");
    Map<PortId, Long> capacities = new TreeMap<>();
    for (Iterator<Map.Entry<String, JsonNode>> fields = ports.fields(); fields.hasNext(); ) {
      Map.Entry<String, JsonNode> field = fields.next();
      String path = PORTS + "." + field.getKey();
      PortId port = read(PortId::parse, path, field.getKey(), "Use a switch's port");
      if (port.isReceiver()) {
        throw invalid(
            path,
            port,
            "This is no switch's port",
            "Use its tenant's receiveCeilingMbps for what arrives at an interface");
      }
      if (!field.getValue().isObject()) {
        throw invalid(path, field.getValue(), "This is no object", "Use {\"capacityMbps\": 50}");
      }
      checkFields(field.getValue(), path + ".", Set.of(CAPACITY));
      capacities.put(port, capacity(field.getValue().path(CAPACITY), path + "." + CAPACITY));
    }
    return capacities;
  }

  private static long capacity(JsonNode capacity, String path) throws SluiceException {
    boolean isFinite = capacity.isNumber() && Double.isFinite(capacity.doubleValue());
    if (!isFinite || capacity.decimalValue().signum() <= 0) {
      throw invalid(path, capacity.asText(), "This is not a capacity", "Use Mbit/s above 0");
    }
    return MegabitRate.toBits(path, capacity.decimalValue());
  }

  private static List<Tenant> readTenants(JsonNode json) throws SluiceException {
    List<Tenant> tenants = new ArrayList<>();
    Set<TenantId> ids = new HashSet<>();
    for (JsonNode node :
        list(
            json, TENANTS, "a list of tenants, such as [{\"id\": \"t1\", \"guaranteeMbps\": 5}]")) {
      String path = TENANTS + "[" + tenants.size() + "]";
      Tenant tenant = WrittenTenant.read(node, path);
      if (!ids.add(tenant.id())) {
        throw invalid(path + ".id", tenant.id(), "This id occurs twice", "Give each its own id");
      }
      tenants.add(tenant);
    }
    return tenants;
  }

  private static Inventory readInventory(JsonNode json) throws SluiceException {
    Set<IpAddress> gateways = new LinkedHashSet<>();
    for (JsonNode each : list(json, GATEWAYS, "a list of addresses, such as [\"10.0.0.1\"]")) {
      gateways.add(address(GATEWAYS + "[" + gateways.size() + "]", each.asText()));
    }
    Map<IpAddress, EndpointId> endpoints = new HashMap<>();
    Map<IpAddress, MacAddress> macs = new HashMap<>();
    JsonNode owners =
        object(json, ADDRESSES, "{\"10.0.0.7\": \"h1/vm0\", \"10.0.0.8\": \"02:00:00:00:01:08\"}");
    for (Iterator<Map.Entry<String, JsonNode>> fields = owners.fields(); fields.hasNext(); ) {
      Map.Entry<String, JsonNode> field = fields.next();
      String path = ADDRESSES + "." + field.getKey();
      String owner = field.getValue().asText();
      IpAddress ip = address(path, field.getKey());
      if (gateways.contains(ip)) {
        throw invalid(path, ip, "It is among the gateways", "Remove it there, or here");
      }
      if (owner.contains("/")) {
        endpoints.put(ip, read(OperatorDocument::endpoint, path, owner, "Use HOST/INTERFACE"));
      } else {
        macs.put(ip, read(MacAddress::parse, path, owner, "Use HOST/INTERFACE or a MAC address"));
      }
    }
    return Inventory.of(gateways, endpoints, macs);
  }

  private static IpAddress address(String path, String text) throws SluiceException {
    return read(IpAddress::parse, path, text, "Use an address such as 10.0.0.7 or fd00::7");
  }

  private static EndpointId endpoint(String text) {
    int slash = text.indexOf('/');
    return EndpointId.of(HostId.of(text.substring(0, slash)), text.substring(slash + 1));
  }

  private static <T> T read(Function<String, T> parser, String path, String text, String remedy)
      throws SluiceException {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw invalid(path, text, e.getMessage(), remedy);
    }
  }
}
