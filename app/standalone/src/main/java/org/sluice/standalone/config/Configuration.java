// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.api.SluiceException;
import org.sluice.core.configuration.OperatorDocument;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.standalone.etcd.EtcdSettings;
import org.sluice.standalone.kubernetes.KubernetesAccess;

/**
 * What stands in {@code sluiced.yaml}.
 *
 * @param listen where REST and the page are served, https or http
 * @param topology empty: the fabric is one big switch
 * @param settings texts by the names of settings
 * @param networkSource what {@code network} was made of
 * @param network capacities, tenants, whose addresses are
 */
public record Configuration(
    Path file,
    String node,
    Path dataDirectory,
    List<URI> listen,
    Optional<Path> certificate,
    Optional<Path> key,
    Path users,
    Optional<Path> topology,
    boolean receiversMark,
    Optional<EtcdSettings> etcd,
    Optional<KubernetesAccess> kubernetes,
    Map<String, String> settings,
    JsonNode networkSource,
    OperatorDocument network) {
  /** Where it is, unless the command line says otherwise. */
  public static final String USUAL_FILE = "/etc/sluice/sluiced.yaml";

  private static final String USUAL_DATA = "/var/lib/sluiced";
  private static final String USUAL_LISTEN = "http://127.0.0.1:8181";
  private static final String USUAL_API = "https://kubernetes.default.svc:443";

  /** Where a pod has the files of its service account. */
  private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private static final DocumentSchema SCHEMA = new DocumentSchema("sluiced.schema.json");

  /** Settings that are names of files. */
  private static final Set<Setting<String>> FILES =
      Set.of(
          SettingTable.AGENT_LINK_KEY,
          SettingTable.AGENT_LINK_CERTIFICATE,
          SettingTable.AGENT_LINK_TRUST,
          SettingTable.AGENT_LINK_HOSTS,
          SettingTable.AGENT_LINK_REVOKED);

  private static final int MOST_PORT = 65_535;

  /**
   * Reads the file.
   *
   * @throws ConfigurationException with everything that is wrong in it
   */
  public static Configuration read(Path file) throws ConfigurationException {
    YamlDocument document = YamlDocument.read(file);
    SCHEMA.check(document);
    return new Reader(document).read();
  }

  /** What needs a restart to change. */
  public List<String> fixedFieldsThatDifferFrom(Configuration other) {
    List<String> different = new ArrayList<>();
    add(different, "node", node, other.node);
    add(different, "dataDirectory", dataDirectory, other.dataDirectory);
    add(different, "web.listen", listen, other.listen);
    add(different, "web.certificate", certificate, other.certificate);
    add(different, "web.key", key, other.key);
    add(different, "users", users, other.users);
    add(different, "topology", topology, other.topology);
    add(different, "receiversMark", receiversMark, other.receiversMark);
    add(different, "etcd", etcd, other.etcd);
    add(different, "kubernetes", kubernetes, other.kubernetes);
    return different;
  }

  private static void add(List<String> to, String field, Object one, Object other) {
    if (!one.equals(other)) {
      to.add(field);
    }
  }

  /** Reads one document that fits the schema. */
  private static final class Reader {
    private final YamlDocument document;
    private final Path directory;
    private final List<String> problems = new ArrayList<>();

    Reader(YamlDocument document) {
      this.document = document;
      directory = document.file().toAbsolutePath().getParent();
    }

    Configuration read() throws ConfigurationException {
      Configuration read =
          new Configuration(
              document.file(),
              text("/node").orElseGet(this::machineName),
              path("/dataDirectory").orElse(Path.of(USUAL_DATA)),
              listen(),
              file("/web/certificate"),
              file("/web/key"),
              path("/users").orElse(directory.resolve("users")),
              file("/topology"),
              document.root().path("receiversMark").asBoolean(true),
              etcd(),
              kubernetes(),
              settings(),
              document.root().path("network"),
              network());
      if (read.certificate.isPresent() != read.key.isPresent()) {
        problem("/web", "one of certificate and key is missing", "give both, or none");
      }
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      return read;
    }

    private String machineName() {
      try {
        return InetAddress.getLocalHost().getHostName().replaceFirst("\\..*", "");
      } catch (UnknownHostException e) {
        problem("/node", "this machine has no name", "give the node one");
        return "";
      }
    }

    private Optional<String> text(String pointer) {
      JsonNode value = document.root().at(pointer);
      return value.isMissingNode() ? Optional.empty() : Optional.of(value.asText());
    }

    private Optional<Path> path(String pointer) {
      return text(pointer).map(directory::resolve);
    }

    /** A file that has to be there. */
    private Optional<Path> file(String pointer) {
      Optional<Path> path = path(pointer);
      if (path.isPresent() && !Files.isReadable(path.get())) {
        problem(
            pointer,
            document.shown(pointer) + " cannot be read",
            "put it there, readable for the user sluiced: chgrp sluiced, chmod 0640");
      }
      return path;
    }

    private List<URI> listen() {
      List<URI> all = new ArrayList<>();
      JsonNode listed = document.root().at("/web/listen");
      for (int i = 0; i < listed.size(); i++) {
        URI one = URI.create(listed.get(i).asText());
        all.add(one);
        check("/web/listen/" + i, one);
      }
      return all.isEmpty() ? List.of(URI.create(USUAL_LISTEN)) : List.copyOf(all);
    }

    private void check(String pointer, URI one) {
      String shown = document.shown(pointer);
      if (one.getPort() > MOST_PORT) {
        problem(pointer, shown + " has no TCP port", "use one up to " + MOST_PORT);
      }
      boolean hasCertificate = document.root().at("/web").has("certificate");
      if (one.getScheme().equals("https") && !hasCertificate) {
        problem(pointer, shown + " needs a certificate", "add web.certificate and web.key");
      }
      try {
        if (one.getScheme().equals("http")
            && !InetAddress.getByName(one.getHost()).isLoopbackAddress()) {
          problem(
              pointer,
              shown + " would carry passwords in the clear",
              "use https, or http://127.0.0.1:PORT");
        }
      } catch (UnknownHostException e) {
        problem(pointer, shown + " names no address", "use an IP address of this machine");
      }
    }

    private Optional<EtcdSettings> etcd() {
      List<URI> endpoints = new ArrayList<>();
      document.root().at("/etcd/endpoints").forEach(one -> endpoints.add(URI.create(one.asText())));
      return endpoints.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new EtcdSettings(
                  endpoints,
                  file("/etcd/trust"),
                  file("/etcd/certificate"),
                  file("/etcd/key"),
                  text("/etcd/user"),
                  file("/etcd/passwordFile")));
    }

    /** By default as in a pod; without TLS there is nobody to trust. */
    private Optional<KubernetesAccess> kubernetes() {
      if (!document.root().has("kubernetes")) {
        return Optional.empty();
      }
      URI server = URI.create(text("/kubernetes/server").orElse(USUAL_API));
      boolean isPods = text("/kubernetes/server").isEmpty();
      Optional<Path> account = Optional.of(ACCOUNT).filter(any -> isPods);
      return Optional.of(
          new KubernetesAccess(
              server,
              file("/kubernetes/token").or(() -> account.map(path -> path.resolve("token"))),
              file("/kubernetes/trust").or(() -> account.map(path -> path.resolve("ca.crt")))));
    }

    private Map<String, String> settings() {
      Map<String, Setting<?>> known = new TreeMap<>();
      SettingTable.all().forEach(setting -> known.put(setting.name(), setting));
      Map<String, String> texts = new TreeMap<>();
      for (Map.Entry<String, JsonNode> one : document.root().path("settings").properties()) {
        String pointer = "/settings/" + one.getKey();
        Setting<?> setting = known.get(one.getKey());
        String text = one.getValue().isBoolean() ? onOff(one.getValue()) : one.getValue().asText();
        if (setting == null) {
          problem(pointer, "there is no such setting", "docs/settings.md has them all");
          continue;
        }
        if (FILES.contains(setting) && !text.isEmpty()) {
          text = directory.resolve(text).toString();
        }
        if (setting.parse(text).isEmpty()) {
          problem(
              pointer, document.shown(pointer) + " is not possible", "use " + setting.accepted());
        } else if (setting == SettingTable.FORWARDING && !text.equals("other")) {
          problem(
              pointer,
              document.shown(pointer) + ": sluiced reaches no switch and forwards nothing",
              "leave it out");
        }
        texts.put(one.getKey(), text);
      }
      return texts;
    }

    /** YAML 1.2 has no booleans on and off; who writes true means on. */
    private static String onOff(JsonNode value) {
      return value.asBoolean() ? "on" : "off";
    }

    private OperatorDocument network() {
      JsonNode written = document.root().path("network");
      try {
        return written.isMissingNode() ? OperatorDocument.EMPTY : OperatorDocument.read(written);
      } catch (SluiceException e) {
        String pointer =
            "/network/" + e.field().orElse("").replaceAll("[.\\[]", "/").replace("]", "");
        problem(pointer, "'" + e.value() + "': " + e.getMessage(), e.remedy());
        return OperatorDocument.EMPTY;
      }
    }

    private void problem(String pointer, String complaint, String remedy) {
      problems.add(document.problem(pointer, complaint, remedy));
    }
  }
}
