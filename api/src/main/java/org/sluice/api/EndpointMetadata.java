// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a host knows of an endpoint's interface beside its addresses; or what a tenant's member
 * names of it.
 */
@AutoValue
public abstract class EndpointMetadata {
  public static final EndpointMetadata NONE = builder().build();

  private static final int MAX_VLAN = 4094;
  private static final int MAX_INTERFACE = 15;
  private static final int MAX_LABELS = 64;
  private static final Pattern NAME = Pattern.compile("[!-~&&[^,=+]]{1,253}");
  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final String LABEL = "[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?";
  private static final Pattern LABEL_KEY = Pattern.compile("([a-z0-9.-]{1,253}/)?" + LABEL);
  private static final Pattern LABEL_VALUE = Pattern.compile("(" + LABEL + ")?");

  /** The bridge that it is a port of. */
  public abstract Optional<String> bridge();

  /** The VLAN of the bridge that it is in, or its own tag. */
  public abstract Optional<Integer> vlan();

  /** Libvirt's name of the virtual machine. */
  public abstract Optional<String> domain();

  /** Libvirt's or CNI's name of what it is attached to. */
  public abstract Optional<String> network();

  /** The pod's namespace. */
  public abstract Optional<String> namespace();

  /** The pod's name. */
  public abstract Optional<String> pod();

  /** The pod's labels, by key in order. */
  public abstract Map<String, String> labels();

  public static Builder builder() {
    return new AutoValue_EndpointMetadata.Builder().labels(Map.of());
  }

  /** Whether an endpoint with these has all that is asked for here. */
  public boolean isIn(EndpointMetadata its) {
    return isIn(bridge(), its.bridge())
        && isIn(vlan(), its.vlan())
        && isIn(domain(), its.domain())
        && isIn(network(), its.network())
        && isIn(namespace(), its.namespace())
        && isIn(pod(), its.pod())
        && its.labels().entrySet().containsAll(labels().entrySet());
  }

  /** Its properties as text, {@code namespace:shop}; what counts most for members first. */
  public List<String> words() {
    List<String> words = new ArrayList<>();
    domain().ifPresent(domain -> words.add("domain:" + domain));
    namespace().ifPresent(namespace -> words.add("namespace:" + namespace));
    labels().forEach((key, value) -> words.add("label:" + key + ":" + value));
    network().ifPresent(network -> words.add("network:" + network));
    vlan().ifPresent(vlan -> words.add("vlan:" + vlan));
    bridge().ifPresent(bridge -> words.add("bridge:" + bridge));
    return words;
  }

  private static boolean isIn(Optional<?> asked, Optional<?> has) {
    return asked.isEmpty() || asked.equals(has);
  }

  /** Builds metadata. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder bridge(Optional<String> bridge);

    public abstract Builder vlan(Optional<Integer> vlan);

    public abstract Builder domain(Optional<String> domain);

    public abstract Builder network(Optional<String> network);

    public abstract Builder namespace(Optional<String> namespace);

    public abstract Builder pod(Optional<String> pod);

    public abstract Builder labels(Map<String, String> labels);

    abstract Map<String, String> labels();

    abstract EndpointMetadata autoBuild();

    /**
     * The metadata, as it is.
     *
     * @throws IllegalArgumentException if {@link #checked} refuses it
     */
    public EndpointMetadata build() {
      try {
        return checked("");
      } catch (SluiceException e) {
        throw new IllegalArgumentException(
            e.field().orElse("") + " '" + e.value() + "': " + e.getMessage(), e);
      }
    }

    /**
     * The metadata, checked.
     *
     * @param path where it stands in the whole, with a dot at its end; may be empty
     * @throws SluiceException of kind INVALID naming field, value and remedy
     */
    public EndpointMetadata checked(String path) throws SluiceException {
      labels(Collections.unmodifiableMap(new TreeMap<>(labels())));
      EndpointMetadata built = autoBuild();
      String names = "Use 1 to 253 visible ASCII characters other than ',', '=' and '+'";
      if (built.bridge().isPresent()
          && !(NAME.matcher(built.bridge().get()).matches()
              && built.bridge().get().length() <= MAX_INTERFACE
              && built.bridge().get().indexOf('/') < 0)) {
        throw SluiceException.invalid(
            path + "bridge",
            built.bridge().get(),
            "This is no bridge's name",
            "Use an interface's name such as br0, without ',', '=', '+' and '/'");
      }
      if (built.vlan().isPresent() && (built.vlan().get() < 1 || built.vlan().get() > MAX_VLAN)) {
        throw SluiceException.invalid(
            path + "vlan", built.vlan().get(), "This is no VLAN", "Use 1 to " + MAX_VLAN);
      }
      check(NAME, path + "domain", built.domain(), "This is no domain's name", names);
      check(NAME, path + "network", built.network(), "This is no network's name", names);
      check(NAME, path + "pod", built.pod(), "This is no pod's name", names);
      check(
          NAMESPACE,
          path + "namespace",
          built.namespace(),
          "This is no namespace's name",
          "Use 1 to 63 small letters, digits and '-', such as shop");
      for (Map.Entry<String, String> label : built.labels().entrySet()) {
        if (!LABEL_KEY.matcher(label.getKey()).matches()
            || !LABEL_VALUE.matcher(label.getValue()).matches()) {
          throw SluiceException.invalid(
              path + "labels",
              label.getKey() + "=" + label.getValue(),
              "This is no label",
              "Use a key and a value as Kubernetes takes them, such as app and web");
        }
      }
      if (built.labels().size() > MAX_LABELS) {
        throw SluiceException.invalid(
            path + "labels",
            built.labels().size() + " labels",
            "These are too many labels",
            "Use at most " + MAX_LABELS);
      }
      return built;
    }

    private static void check(
        Pattern form, String field, Optional<String> name, String message, String remedy)
        throws SluiceException {
      if (name.isPresent() && !form.matcher(name.get()).matches()) {
        throw SluiceException.invalid(field, name.get(), message, remedy);
      }
    }
  }
}
