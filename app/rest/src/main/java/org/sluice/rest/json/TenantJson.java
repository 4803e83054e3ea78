// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.MegabitRate;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/**
 * Tenants as JSON, the same wherever they are written: in requests, in network configuration, in
 * stores.
 */
public final class TenantJson {
  private static final List<String> FIELDS =
      List.of("id", "weight", "guaranteeMbps", "ceilingMbps", "ecn", "members");
  private static final List<String> MEMBER_FIELDS = List.of("ipPrefix", "mac", "host", "interface");
  private static final String CLEAR = "clear";
  private static final String PRESERVE = "preserve";

  private TenantJson() {}

  /** The tenant with all of its fields, in an order that never changes. */
  public static ObjectNode write(Tenant tenant) {
    ObjectNode json =
        Json.object()
            .put("id", tenant.id().name())
            .put("weight", Json.plain(tenant.weight()))
            .put("guaranteeMbps", MegabitRate.fromBits(tenant.guaranteeBitsPerSecond()))
            .put("ceilingMbps", MegabitRate.fromBits(tenant.ceilingBitsPerSecond()))
            .put("ecn", tenant.preserveEcn() ? PRESERVE : CLEAR);
    ArrayNode members = json.putArray("members");
    for (Member member : tenant.members()) {
      ObjectNode one = members.addObject();
      member.ipPrefix().ifPresent(prefix -> one.put("ipPrefix", prefix.toString()));
      member.mac().ifPresent(mac -> one.put("mac", mac.toString()));
      member
          .endpoint()
          .ifPresent(id -> one.put("host", id.host().name()).put("interface", id.interfaceName()));
    }
    return json;
  }

  /**
   * Reads a tenant, which must say its id; what is not given takes its default.
   *
   * @param path where it stands in the whole ({@code tenants[0]}), for refusals; may be empty
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static Tenant read(JsonNode json, String path) throws SluiceException {
    Fields fields = fields(json, path);
    Optional<TenantId> id = fields.parsed("id", "Use an id such as t1", TenantId::of);
    if (id.isEmpty()) {
      throw SluiceException.invalid(
          fields.path("id"), "", "A new tenant needs an id", "Add \"id\": \"t1\" or the like");
    }
    return read(fields, Tenant.builder(id.get()).build());
  }

  /**
   * Reads the whole of a tenant whose id is known; what is not given takes its default.
   *
   * @throws SluiceException of kind INVALID, also if the JSON is about another tenant
   */
  public static Tenant readWhole(JsonNode json, TenantId id) throws SluiceException {
    return readMerged(json, Tenant.builder(id).build());
  }

  /**
   * Reads what is to change of a tenant; what is not given stays, and null takes its default.
   *
   * @throws SluiceException of kind INVALID, also if the JSON is about another tenant
   */
  public static Tenant readMerged(JsonNode json, Tenant present) throws SluiceException {
    Fields fields = fields(json, "");
    Optional<String> id = fields.text("id");
    if (id.isPresent() && !id.get().equals(present.id().name())) {
      throw SluiceException.invalid(
          "id",
          id.get(),
          "The body is about another tenant than the path, " + present.id(),
          "Leave id out of the body, or use the same in both");
    }
    return read(fields, present);
  }

  private static Fields fields(JsonNode json, String path) throws SluiceException {
    if (!json.isObject()) {
      throw SluiceException.invalid(
          path, json, "A tenant is an object", "Use an object such as {\"id\": \"t1\"}");
    }
    return Fields.of((ObjectNode) json, path.isEmpty() ? "" : path + ".", FIELDS);
  }

  private static Tenant read(Fields fields, Tenant present) throws SluiceException {
    Tenant defaults = Tenant.builder(present.id()).build();
    Tenant.Builder tenant = present.toBuilder();
    if (fields.mentions("weight")) {
      Optional<BigDecimal> weight = fields.number("weight");
      tenant.weight(weight.map(BigDecimal::doubleValue).orElse(defaults.weight()));
    }
    long guarantee = rate(fields, "guaranteeMbps", present.guaranteeBitsPerSecond());
    long ceiling = rate(fields, "ceilingMbps", present.ceilingBitsPerSecond());
    if (ceiling > 0 && ceiling < guarantee) {
      throw SluiceException.invalid(
          fields.path("ceilingMbps"),
          MegabitRate.fromBits(ceiling),
          "The ceiling lies under the guarantee",
          "Use at least " + MegabitRate.fromBits(guarantee) + ", or 0 for no ceiling");
    }
    tenant.guaranteeBitsPerSecond(guarantee).ceilingBitsPerSecond(ceiling);
    if (fields.mentions("ecn")) {
      tenant.preserveEcn(preserveEcn(fields));
    }
    if (fields.mentions("members")) {
      tenant.members(members(fields));
    }
    return tenant.build();
  }

  private static long rate(Fields fields, String name, long present) throws SluiceException {
    if (!fields.mentions(name)) {
      return present;
    }
    Optional<BigDecimal> megabits = fields.number(name);
    return megabits.isPresent() ? MegabitRate.toBits(fields.path(name), megabits.get()) : 0;
  }

  private static boolean preserveEcn(Fields fields) throws SluiceException {
    String ecn = fields.text("ecn").orElse(CLEAR);
    if (!ecn.equals(CLEAR) && !ecn.equals(PRESERVE)) {
      throw SluiceException.invalid(
          fields.path("ecn"),
          ecn,
          "There is no such treatment of ECN",
          "Use \"" + CLEAR + "\" or \"" + PRESERVE + "\"");
    }
    return ecn.equals(PRESERVE);
  }

  private static List<Member> members(Fields fields) throws SluiceException {
    List<Member> members = new ArrayList<>();
    for (Fields one : fields.objects("members", MEMBER_FIELDS)) {
      Member member = member(one);
      if (members.contains(member)) {
        throw SluiceException.invalid(
            one.path(), one, "This member was given before", "Give every member once");
      }
      members.add(member);
    }
    return members;
  }

  private static Member member(Fields fields) throws SluiceException {
    Optional<Member> byPrefix =
        fields
            .parsed("ipPrefix", "Use a prefix such as 10.1.0.0/16", IpPrefix::parse)
            .map(Member::ofPrefix);
    Optional<Member> byMac =
        fields
            .parsed("mac", "Use an address such as 02:00:00:00:01:01", MacAddress::parse)
            .map(Member::ofMac);
    Optional<HostId> host = fields.parsed("host", "Use a host such as h1", HostId::of);
    Optional<Member> byInterface = Optional.empty();
    if (host.isPresent()) {
      byInterface =
          fields
              .parsed(
                  "interface",
                  "Use an interface such as vm0",
                  name -> EndpointId.of(host.get(), name))
              .map(Member::ofEndpoint);
    }
    List<Member> ways = new ArrayList<>();
    byPrefix.ifPresent(ways::add);
    byMac.ifPresent(ways::add);
    byInterface.ifPresent(ways::add);
    boolean halfAnInterface =
        (host.isPresent() || fields.mentions("interface")) && byInterface.isEmpty();
    if (ways.size() != 1 || halfAnInterface) {
      throw SluiceException.invalid(
          fields.path(),
          fields,
          "A member is named in exactly one way",
          "Give ipPrefix, or mac, or host and interface together");
    }
    return ways.get(0);
  }
}
