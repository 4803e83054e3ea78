// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchLink;
import org.sluice.api.topology.SwitchStatus;

/** The fields of the network's topology in JSON. */
@JsonPropertyOrder({"switches", "links", "attachments"})
public final class TopologyDto {
  @JsonProperty final List<SwitchDto> switches;
  @JsonProperty final List<LinkDto> links;
  @JsonProperty final List<AttachmentDto> attachments;

  public TopologyDto(NetworkTopology topology) {
    switches = topology.switches().stream().map(SwitchDto::new).collect(Collectors.toList());
    links = topology.links().stream().map(LinkDto::new).collect(Collectors.toList());
    attachments =
        topology.attachments().stream().map(AttachmentDto::new).collect(Collectors.toList());
  }

  /** A switch. */
  @JsonPropertyOrder({"datapath", "name", "available", "layer"})
  static final class SwitchDto {
    @JsonProperty final String datapath;
    @JsonProperty final String name;
    @JsonProperty final boolean available;

    /** Null: no way leads to an attachment. */
    @JsonProperty final Integer layer;

    SwitchDto(SwitchStatus status) {
      datapath = status.datapath();
      name = status.name();
      available = status.available();
      layer = status.layer().isPresent() ? status.layer().getAsInt() : null;
    }
  }

  /** One direction of a link. */
  @JsonPropertyOrder({"source", "target"})
  static final class LinkDto {
    @JsonProperty final LinkEndDto source;
    @JsonProperty final LinkEndDto target;

    LinkDto(SwitchLink link) {
      source = new LinkEndDto(link.source());
      target = new LinkEndDto(link.target());
    }
  }

  /** What is behind an edge port. */
  @JsonPropertyOrder({"host", "port"})
  static final class AttachmentDto {
    /** Null: machines that no agent reports. */
    @JsonProperty final HostId host;

    @JsonProperty final LinkEndDto port;

    AttachmentDto(Attachment attachment) {
      host = attachment.host().orElse(null);
      port = new LinkEndDto(attachment.port());
    }
  }

  /** A switch's port, in the two parts of its id. */
  @JsonPropertyOrder({"datapath", "number"})
  static final class LinkEndDto {
    @JsonProperty final String datapath;
    @JsonProperty final long number;

    LinkEndDto(PortId port) {
      datapath = port.datapath();
      number = port.number();
    }
  }
}
