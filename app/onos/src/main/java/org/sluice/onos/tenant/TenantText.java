// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.tenant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** Tenants as JSON, in the shape that REST uses, for the store and the network configuration. */
public final class TenantText {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Set<String> FIELDS =
      Set.of(
          "id",
          "weight",
          "guaranteeBitsPerSecond",
          "ceilingBitsPerSecond",
          "preserveEcn",
          "members");

  private TenantText() {}

  /** All tenants in one text. */
  static String write(Collection<Tenant> tenants) {
    ArrayNode array = MAPPER.createArrayNode();
    for (Tenant tenant : tenants) {
      ObjectNode node = array.addObject();
      node.put("id", tenant.id().name());
      node.put("weight", tenant.weight());
      node.put("guaranteeBitsPerSecond", tenant.guaranteeBitsPerSecond());
      node.put("ceilingBitsPerSecond", tenant.ceilingBitsPerSecond());
      node.put("preserveEcn", tenant.preserveEcn());
      ArrayNode members = node.putArray("members");
      tenant.members().forEach(member -> write(member, members.addObject()));
    }
    return array.toString();
  }

  private static void write(Member member, ObjectNode node) {
    member.ipPrefix().ifPresent(prefix -> node.put("ipPrefix", prefix.toString()));
    member.mac().ifPresent(mac -> node.put("mac", mac.toString()));
    member
        .endpoint()
        .ifPresent(id -> node.put("host", id.host().name()).put("interface", id.interfaceName()));
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
        tenants.add(read(node, "tenants[" + tenants.size() + "]."));
      }
      return tenants;
    } catch (IOException | SluiceException e) {
      throw new IllegalStateException("The store of tenants cannot be read: " + text, e);
    }
  }

  /**
   * Reads a tenant.
   *
   * @param path where the tenant stands, for messages, with the final dot
   * @throws SluiceException INVALID naming the first field that is wrong
   */
  public static Tenant read(JsonNode node, String path) throws SluiceException {
    if (!node.isObject()) {
      throw SluiceException.invalid(
          path, node, "A tenant is an object", "Use {\"id\": \"t1\", \"weight\": 2, ...}");
    }
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!FIELDS.contains(name)) {
        throw SluiceException.invalid(
            path + name, node.get(name), "A tenant has no such field", "Use one of " + FIELDS);
      }
    }
    try {
      return Tenant.builder(TenantId.of(text(node, path, "id")))
          .weight(node.has("weight") ? number(node, path, "weight").asDouble() : 1)
          .guaranteeBitsPerSecond(rate(node, path, "guaranteeBitsPerSecond"))
          .ceilingBitsPerSecond(rate(node, path, "ceilingBitsPerSecond"))
          .preserveEcn(flag(node, path, "preserveEcn"))
          .members(members(node.path("members"), path + "members"))
          .build();
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(
          path + "id", node.get("id"), e.getMessage(), "Use a name such as t1");
    } catch (SluiceException e) {
      String field = e.field().orElse("");
      throw field.startsWith(path)
          ? e
          : SluiceException.invalid(path + field, e.value(), e.getMessage(), e.remedy());
    }
  }

  private static List<Member> members(JsonNode nodes, String path) throws SluiceException {
    if (!nodes.isMissingNode() && !nodes.isArray()) {
      throw SluiceException.invalid(
          path, nodes, "Members are a list", "Use [{\"ipPrefix\": \"10.0.0.1/32\"}, ...]");
    }
    List<Member> members = new ArrayList<>();
    for (JsonNode node : nodes) {
      members.add(member(node, path + "[" + members.size() + "]"));
    }
    return members;
  }

  private static Member member(JsonNode node, String path) throws SluiceException {
    try {
      if (node.size() == 1 && node.has("ipPrefix")) {
        return Member.ofPrefix(IpPrefix.parse(text(node, path + ".", "ipPrefix")));
      }
      if (node.size() == 1 && node.has("mac")) {
        return Member.ofMac(MacAddress.parse(text(node, path + ".", "mac")));
      }
      if (node.size() == 2 && node.has("host") && node.has("interface")) {
        return Member.ofEndpoint(
            EndpointId.of(
                HostId.of(text(node, path + ".", "host")), text(node, path + ".", "interface")));
      }
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(path, node, e.getMessage(), "Correct the value");
    }
    throw SluiceException.invalid(
        path,
        node,
        "A member names endpoints in one of three ways",
        "Use {\"ipPrefix\": ...}, {\"mac\": ...}, or {\"host\": ..., \"interface\": ...}");
  }

  private static String text(JsonNode node, String path, String name) throws SluiceException {
    JsonNode value = node.path(name);
    if (!value.isTextual()) {
      throw SluiceException.invalid(
          path + name, value, "A text is missing here", "Use a text in quotes");
    }
    return value.asText();
  }

  private static JsonNode number(JsonNode node, String path, String name) throws SluiceException {
    JsonNode value = node.path(name);
    if (!value.isNumber()) {
      throw SluiceException.invalid(path + name, value, "This is no number", "Use a number");
    }
    return value;
  }

  private static long rate(JsonNode node, String path, String name) throws SluiceException {
    if (!node.has(name)) {
      return 0;
    }
    JsonNode value = number(node, path, name);
    if (!value.canConvertToLong() || !value.isIntegralNumber()) {
      throw SluiceException.invalid(
          path + name, value, "A rate is a whole number", "Use bit/s without a fraction");
    }
    return value.asLong();
  }

  private static boolean flag(JsonNode node, String path, String name) throws SluiceException {
    JsonNode value = node.path(name);
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw SluiceException.invalid(path + name, value, "This is no flag", "Use true or false");
    }
    return value.asBoolean(false);
  }
}
