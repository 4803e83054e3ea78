// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.odl;

import static java.nio.charset.StandardCharsets.UTF_8;

import aQute.bnd.osgi.Domain;
import aQute.bnd.osgi.resource.ResourceBuilder;
import aQute.bnd.osgi.resource.ResourceUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.apache.felix.resolver.Logger;
import org.apache.felix.resolver.ResolverImpl;
import org.osgi.resource.Capability;
import org.osgi.resource.Namespace;
import org.osgi.resource.Requirement;
import org.osgi.resource.Resource;
import org.osgi.resource.Wiring;
import org.osgi.service.resolver.HostedCapability;
import org.osgi.service.resolver.ResolutionException;
import org.osgi.service.resolver.ResolveContext;

/** The bundles of an OpenDaylight line that has started, by their manifests. */
final class Line {
  private final List<Resource> resources = new ArrayList<>();

  /** Reads what {@code odl manifests} wrote. */
  Line(String version) throws IOException {
    String name = "/bundles-" + version + ".gz";
    try (InputStream in = new GZIPInputStream(Line.class.getResourceAsStream(name))) {
      for (String text : new String(in.readAllBytes(), UTF_8).split("\n\n")) {
        resources.add(bundle(manifest(text)));
      }
    }
  }

  /** A manifest from headers that are lines of any length, which {@link Manifest} does not read. */
  static Manifest manifest(String headers) throws IOException {
    Manifest manifest =
        new Manifest(new ByteArrayInputStream("Manifest-Version: 1.0\n\n".getBytes(UTF_8)));
    manifest.getMainAttributes().putValue("Bundle-ManifestVersion", "2");
    for (String line : headers.split("\n")) {
      String[] header = line.split(": ", 2);
      manifest.getMainAttributes().putValue(header[0], header[1]);
    }
    return manifest;
  }

  static Resource bundle(Manifest manifest) {
    ResourceBuilder builder = new ResourceBuilder();
    builder.addManifest(Domain.domain(manifest));
    return builder.build();
  }

  /** Resolves further bundles beside its own; the exception names what is missing. */
  void resolve(Collection<Resource> further) throws ResolutionException {
    new ResolverImpl(new Logger(Logger.LOG_ERROR)).resolve(new Context(further));
  }

  private final class Context extends ResolveContext {
    private final Collection<Resource> further;
    private final Map<String, List<Capability>> offered = new HashMap<>();

    Context(Collection<Resource> further) {
      this.further = further;
      resources.forEach(this::offer);
      further.forEach(this::offer);
    }

    private void offer(Resource resource) {
      for (Capability each : resource.getCapabilities(null)) {
        String namespace = each.getNamespace();
        String key = namespace + each.getAttributes().get(namespace);
        offered.computeIfAbsent(key, absent -> new ArrayList<>()).add(each);
      }
    }

    /** What may match: all that have the name that a requirement's filter has. */
    private List<Capability> candidates(Requirement requirement) {
      String namespace = requirement.getNamespace();
      String filter = requirement.getDirectives().get(Namespace.REQUIREMENT_FILTER_DIRECTIVE);
      Matcher name =
          Pattern.compile("\\(" + Pattern.quote(namespace) + "=([^)]*)\\)").matcher(filter);
      return name.find() ? offered.getOrDefault(namespace + name.group(1), List.of()) : List.of();
    }

    @Override
    public Collection<Resource> getMandatoryResources() {
      return further;
    }

    @Override
    public List<Capability> findProviders(Requirement requirement) {
      List<Capability> found = new ArrayList<>();
      for (Capability each : candidates(requirement)) {
        if (ResourceUtils.matches(requirement, each)) {
          found.add(each);
        }
      }
      return found;
    }

    @Override
    public int insertHostedCapability(List<Capability> capabilities, HostedCapability hosted) {
      capabilities.add(hosted);
      return capabilities.size() - 1;
    }

    @Override
    public boolean isEffective(Requirement requirement) {
      return Namespace.EFFECTIVE_RESOLVE.equals(
          requirement
              .getDirectives()
              .getOrDefault(
                  Namespace.REQUIREMENT_EFFECTIVE_DIRECTIVE, Namespace.EFFECTIVE_RESOLVE));
    }

    @Override
    public Map<Resource, Wiring> getWirings() {
      return Map.of();
    }
  }
}
