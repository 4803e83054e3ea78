// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/**
 * Tenants as JSON, the same in requests and in stores, and but for the unit of rates in network
 * configuration.
 */
public final class TenantJson {
  /** Longest set that is read, bytes: more than the cluster's store holds. */
  public static final int MAX_SET_BYTES = 1 << 20;

  private static final String SET = "tenants";
  private static final String MEMBERS = "members";
  private static final String ADD = "addMembers";
  private static final String REMOVE = "removeMembers";

  private TenantJson() {}

  /** The tenant with all of its fields, in an order that never changes. */
  public static ObjectNode write(Tenant tenant) {
    return Json.tree(new TenantDto(tenant));
  }

  /**
   * Reads a tenant, which must have an id; what is not given takes its default.
   *
   * @param path where it stands in the whole ({@code tenants[0]}), for refusals; may be empty
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static Tenant read(JsonNode json, String path) throws SluiceException {
    TenantDto dto = bind(json, new TenantDto(), path);
    if (dto.id == null) {
      throw SluiceException.invalid(
          below(path, "id"), "", "A new tenant needs an id", "Add \"id\": \"t1\" or the like");
    }
    return tenant(dto, dto.id, json, path);
  }

  /**
   * Reads a set of tenants, each with an id.
   *
   * @param refusals takes those that cannot be read, each naming its field in the set
   * @return those that can
   * @throws SluiceException of kind INVALID if it is no set
   */
  public static List<Tenant> readSet(ObjectNode json, List<SluiceException> refusals)
      throws SluiceException {
    JsonNode tenants = json.path(SET);
    for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!name.equals(SET)) {
        throw SluiceException.invalid(
            name, json.get(name), "There is no such field", "Use these fields: " + SET);
      }
    }
    if (!tenants.isArray()) {
      throw SluiceException.invalid(
          SET,
          tenants.isMissingNode() ? "" : tenants,
          "A set lists its tenants",
          "Use {\"tenants\": [{\"id\": \"t1\"}]}");
    }
    List<Tenant> read = new ArrayList<>();
    for (int i = 0; i < tenants.size(); i++) {
      try {
        read.add(read(tenants.get(i), SET + "[" + i + "]"));
      } catch (SluiceException e) {
        refusals.add(e);
      }
    }
    return read;
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
    return merged(bind(json, new TenantDto(present), ""), json, present);
  }

  private static Tenant merged(TenantDto dto, JsonNode json, Tenant present)
      throws SluiceException {
    if (dto.id != null && !dto.id.equals(present.id())) {
      throw SluiceException.invalid(
          "id",
          dto.id,
          "The body is about another tenant than the path, " + present.id(),
          "Leave id out of the body, or use the same in both");
    }
    return tenant(dto, present.id(), json, "");
  }

  /**
   * Reads what is to change of a tenant, as {@link #readMerged}, or which members it is to gain and
   * lose.
   *
   * @throws SluiceException of kind INVALID, also if the tenant has no such member
   */
  public static Tenant readPatched(JsonNode json, Tenant present) throws SluiceException {
    TenantPatchDto dto = bind(json, new TenantPatchDto(present), "");
    Tenant merged = merged(dto, json, present);
    List<Member> added = members(dto.addMembers, json.path(ADD), ADD);
    List<Member> removed = members(dto.removeMembers, json.path(REMOVE), REMOVE);
    if (json.has(MEMBERS) && !(added.isEmpty() && removed.isEmpty())) {
      throw SluiceException.invalid(
          MEMBERS,
          json.get(MEMBERS),
          "The members are replaced, or single ones added and removed, not both",
          "Leave out members, or " + ADD + " and " + REMOVE);
    }
    return merged.withMembers(added, removed);
  }

  private static <T extends TenantDto> T bind(JsonNode json, T target, String path)
      throws SluiceException {
    if (!json.isObject()) {
      throw SluiceException.invalid(
          path, json, "A tenant is an object", "Use an object such as {\"id\": \"t1\"}");
    }
    return Json.bind(json, target, path);
  }

  private static Tenant tenant(TenantDto dto, TenantId id, JsonNode json, String path)
      throws SluiceException {
    Tenant.Builder tenant = Tenant.builder(id);
    if (dto.weight != null) {
      tenant.weight(dto.weight.doubleValue());
    }
    tenant
        .guaranteeBitsPerSecond(orNone(dto.guaranteeBitsPerSecond))
        .ceilingBitsPerSecond(orNone(dto.ceilingBitsPerSecond))
        .receiveCeilingBitsPerSecond(orNone(dto.receiveCeilingBitsPerSecond))
        .preserveEcn(dto.ecn == EcnTreatment.PRESERVE)
        .members(members(dto.members, json.path(MEMBERS), below(path, MEMBERS)));
    return built(tenant, path);
  }

  private static Tenant built(Tenant.Builder tenant, String path) throws SluiceException {
    try {
      return tenant.build();
    } catch (SluiceException e) {
      String field = e.field().map(name -> below(path, name)).orElse(path);
      throw new SluiceException(e.kind(), field, e.value(), e.getMessage(), e.remedy());
    }
  }

  private static long orNone(Long bitsPerSecond) {
    return bitsPerSecond == null ? 0 : bitsPerSecond;
  }

  private static List<Member> members(List<MemberDto> dtos, JsonNode json, String path)
      throws SluiceException {
    List<Member> members = new ArrayList<>();
    for (MemberDto dto : dtos == null ? List.<MemberDto>of() : dtos) {
      String field = path + "[" + members.size() + "]";
      JsonNode given = json.path(members.size());
      Member member = member(dto, given, field);
      if (members.stream().anyMatch(member::namesSameAs)) {
        throw SluiceException.invalid(
            field, given, "This member was given before", "Give every member once");
      }
      members.add(member);
    }
    return members;
  }

  private static Member member(MemberDto dto, JsonNode given, String path) throws SluiceException {
    List<Member> named = new ArrayList<>();
    if (dto.ipPrefix != null) {
      named.add(Member.ofPrefix(dto.ipPrefix));
    }
    if (dto.mac != null) {
      named.add(Member.ofMac(dto.mac));
    }
    if (dto.host != null && dto.interfaceName != null) {
      named.add(Member.ofEndpoint(endpoint(dto, below(path, "interface"))));
    }
    EndpointMetadata asked = dto.metadata(path + ".");
    if (!asked.equals(EndpointMetadata.NONE)) {
      named.add(Member.ofMetadata(asked));
    }
    boolean halfAnInterface = (dto.host == null) != (dto.interfaceName == null);
    if (named.size() != 1 || halfAnInterface) {
      throw SluiceException.invalid(
          path,
          given,
          "A member is named in exactly one way",
          "Give ipPrefix, or mac, or host and interface together, or what hosts know of interfaces:"
              + " domain, namespace, labels, network, vlan, bridge, one or several together");
    }
    Member member = named.get(0);
    return dto.weight == null ? member : weighed(member, dto.weight, below(path, "weight"));
  }

  private static Member weighed(Member member, BigDecimal weight, String path)
      throws SluiceException {
    try {
      return member.withWeight(weight.doubleValue());
    } catch (SluiceException e) {
      throw SluiceException.invalid(path, weight, e.getMessage(), e.remedy());
    }
  }

  private static EndpointId endpoint(MemberDto dto, String path) throws SluiceException {
    try {
      return EndpointId.of(dto.host, dto.interfaceName);
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(
          path, dto.interfaceName, e.getMessage(), "Use an interface such as vm0");
    }
  }

  private static String below(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
