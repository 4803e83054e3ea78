// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import org.sluice.agentlink.proto.Event;
import org.sluice.api.HostId;
import org.sluice.api.link.HostEvent;

/** Checks and decodes events; a list of endpoints in one replaces the host's. */
final class EventDecoder {
  private static final int MAX_DETAIL_LENGTH = 512;
  private static final int MAX_CONDITIONS = 64;

  private final HostId host;
  private final OwnEndpoints endpoints;

  EventDecoder(HostId host, OwnEndpoints endpoints) {
    this.host = host;
    this.endpoints = endpoints;
  }

  HostEvent event(Event event) throws BadMessageException {
    String detail = AgentText.readable(event.getDetail(), MAX_DETAIL_LENGTH);
    switch (event.getKind()) {
      case KIND_ENDPOINTS_CHANGED:
        return HostEvent.of(
            host,
            HostEvent.Kind.ENDPOINTS_CHANGED,
            detail,
            endpoints.replace(event.getEndpointsList()));
      case KIND_STALE_REFUSED:
        return HostEvent.of(host, HostEvent.Kind.STALE_REFUSED, detail, List.of());
      case KIND_LEASE_EXPIRED:
        return HostEvent.of(host, HostEvent.Kind.LEASE_EXPIRED, detail, List.of());
      case KIND_ENFORCEMENT_FAILED:
        return HostEvent.of(host, HostEvent.Kind.ENFORCEMENT_FAILED, detail, List.of());
      case KIND_SPOOFED:
        return HostEvent.of(host, HostEvent.Kind.SPOOFED, detail, List.of());
      case KIND_LEAVING:
        return HostEvent.of(host, HostEvent.Kind.LEAVING, detail, List.of());
      case KIND_CONDITIONS_CHANGED:
        return HostEvent.ofConditions(host, conditions(event));
      default:
        throw BadMessageException.ignored("event of unknown kind " + event.getKindValue());
    }
  }

  private static List<String> conditions(Event event) throws BadMessageException {
    FieldChecks.atMost("conditions", event.getConditionsCount(), MAX_CONDITIONS);
    List<String> conditions = new ArrayList<>();
    for (String condition : event.getConditionsList()) {
      conditions.add(AgentText.readable(condition, MAX_DETAIL_LENGTH));
    }
    return conditions;
  }
}
