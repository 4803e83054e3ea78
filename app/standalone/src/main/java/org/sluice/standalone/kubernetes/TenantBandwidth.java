// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.MegabitRate;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/**
 * An object: what the pods of its namespace are due together. Its tenant has a name that begins
 * with {@value #PREFIX}, and the namespace as its only member: by both it is known as the object's.
 */
record TenantBandwidth(
    String namespace, String name, long generation, JsonNode spec, JsonNode status) {
  static final String RESOURCE = "tenantbandwidths";
  static final String GROUP = "/apis/sluice.org/v1alpha1/";
  static final String LIST = GROUP + RESOURCE;

  private static final String PREFIX = "k8s.";

  static TenantBandwidth of(JsonNode object) {
    JsonNode metadata = object.path("metadata");
    return new TenantBandwidth(
        metadata.path("namespace").asText(),
        metadata.path("name").asText(),
        metadata.path("generation").asLong(),
        object.path("spec"),
        object.path("status"));
  }

  String statusPath() {
    return GROUP + "namespaces/" + namespace + "/" + RESOURCE + "/" + name + "/status";
  }

  /** The tenant's identifier; one of a very long namespace's name is refused. */
  TenantId tenant() throws SluiceException {
    try {
      return TenantId.of(PREFIX + namespace);
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(
          "metadata.namespace",
          namespace,
          "Its tenant's name, " + PREFIX + namespace + ", would be too long",
          "Use a namespace of at most 59 characters, or a tenant made by REST");
    }
  }

  /**
   * The tenant that this object makes of what there is.
   *
   * @throws SluiceException CONFLICT if there is one that no object has made, INVALID if the object
   *     is wrong
   */
  Tenant applied(Optional<Tenant> present) throws SluiceException {
    if (present.isPresent() && ownerOf(present.get()).isEmpty()) {
      throw SluiceException.conflict(
          "",
          present.get().id(),
          "There is a tenant of this name that no TenantBandwidth has made",
          "Remove that tenant, or give it another name");
    }
    Tenant.Builder tenant =
        present.isPresent()
            ? present.get().toBuilder()
            : Tenant.builder(tenant()).members(member());
    return tenant
        .weight(spec.path("weight").asDouble(1))
        .guaranteeBitsPerSecond(bits("guaranteeMbps"))
        .ceilingBitsPerSecond(bits("ceilingMbps"))
        .build();
  }

  private long bits(String field) throws SluiceException {
    JsonNode rate = spec.path(field);
    return rate.isNumber() ? MegabitRate.toBits("spec." + field, rate.decimalValue()) : 0;
  }

  private List<Member> member() throws SluiceException {
    EndpointMetadata.Builder pods = EndpointMetadata.builder().namespace(Optional.of(namespace));
    return List.of(Member.ofMetadata(pods.checked("metadata.")));
  }

  /** The namespace whose object has made a tenant; empty: none has. */
  static Optional<String> ownerOf(Tenant tenant) {
    if (!tenant.id().name().startsWith(PREFIX) || tenant.members().size() != 1) {
      return Optional.empty();
    }
    String namespace = tenant.id().name().substring(PREFIX.length());
    return Optional.of(namespace)
        .filter(any -> tenant.members().get(0).toString().equals("namespace:" + any));
  }
}
