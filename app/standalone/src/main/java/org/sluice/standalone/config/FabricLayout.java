// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.HostId;
import org.sluice.api.PortId;

/**
 * How the switches of a fabric are wired, as its operator wrote it down.
 *
 * @param switches datapath ids, each with the switch's name
 * @param links both directions of each link
 * @param capacitiesBitsPerSecond of the ends of links
 * @param hosts each with the port that it is behind
 */
public record FabricLayout(
    Map<String, String> switches,
    Map<PortId, PortId> links,
    Map<PortId, Long> capacitiesBitsPerSecond,
    Map<HostId, PortId> hosts) {
  private static final DocumentSchema SCHEMA = new DocumentSchema("topology.schema.json");
  private static final double BITS_PER_MEGABIT = 1e6;

  /**
   * Reads a topology file.
   *
   * @throws ConfigurationException with everything that is wrong in it
   */
  public static FabricLayout read(Path file) throws ConfigurationException {
    YamlDocument document = YamlDocument.read(file);
    SCHEMA.check(document);
    return new Reader(document).read();
  }

  /** Reads one document that fits the schema. */
  private static final class Reader {
    private final YamlDocument document;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> datapaths = new LinkedHashMap<>();
    private final Map<PortId, String> taken = new HashMap<>();

    Reader(YamlDocument document) {
      this.document = document;
    }

    FabricLayout read() throws ConfigurationException {
      Map<String, String> names = new TreeMap<>();
      for (Map.Entry<String, JsonNode> one : document.root().get("switches").properties()) {
        datapaths.put(one.getKey(), one.getValue().asText());
        String other = names.putIfAbsent(one.getValue().asText(), one.getKey());
        if (other != null) {
          problem("/switches/" + one.getKey(), "it is " + other + "'s, too", "give each its own");
        }
      }
      Map<PortId, PortId> links = new TreeMap<>();
      Map<PortId, Long> capacities = new TreeMap<>();
      JsonNode listed = document.root().path("links");
      for (int i = 0; i < listed.size(); i++) {
        PortId one = port("/links/" + i + "/ends/0", listed.get(i).at("/ends/0").asText());
        PortId other = port("/links/" + i + "/ends/1", listed.get(i).at("/ends/1").asText());
        double megabits = listed.get(i).get("capacityMbps").asDouble();
        links.put(one, other);
        links.put(other, one);
        capacities.put(one, Math.round(megabits * BITS_PER_MEGABIT));
        capacities.put(other, Math.round(megabits * BITS_PER_MEGABIT));
      }
      Map<HostId, PortId> hosts = new TreeMap<>();
      for (Map.Entry<String, JsonNode> one : document.root().get("hosts").properties()) {
        String pointer = "/hosts/" + one.getKey();
        PortId port = port(pointer, one.getValue().asText());
        try {
          hosts.put(HostId.of(one.getKey()), port);
        } catch (IllegalArgumentException e) {
          problem(pointer, e.getMessage(), "use the name in its agent's certificate");
        }
      }
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      return new FabricLayout(
          Map.copyOf(names), Map.copyOf(links), Map.copyOf(capacities), Map.copyOf(hosts));
    }

    private PortId port(String pointer, String text) {
      int slash = text.lastIndexOf('/');
      String datapath = datapaths.get(text.substring(0, slash));
      if (datapath == null) {
        problem(pointer, "there is no such switch", "use one of " + datapaths.keySet());
      }
      PortId port =
          PortId.of(
              datapath == null ? "none" : datapath, Long.parseLong(text.substring(slash + 1)));
      String other = datapath == null ? null : taken.putIfAbsent(port, pointer);
      if (other != null) {
        problem(
            pointer,
            "this port is taken by " + other.substring(1).replace('/', '.'),
            "give each link and each host a port of its own");
      }
      return port;
    }

    private void problem(String pointer, String complaint, String remedy) {
      problems.add(document.problem(pointer, document.shown(pointer) + ": " + complaint, remedy));
    }
  }
}
