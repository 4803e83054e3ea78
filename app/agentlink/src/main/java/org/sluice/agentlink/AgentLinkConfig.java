// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.auto.value.AutoValue;
import java.nio.file.Path;
import org.sluice.api.SluiceException;

/** How the controller's end of the agent link is set up. */
@AutoValue
public abstract class AgentLinkConfig {
  /** Where agents expect a controller by default. */
  public static final int DEFAULT_PORT = 6680;

  /** Shortest lease, ms: shorter ones would lapse in an ordinary garbage collection. */
  public static final int MIN_LEASE_MILLIS = 300;

  /** Longest lease, ms. */
  public static final int MAX_LEASE_MILLIS = 600_000;

  /** Starts from defaults: all addresses, port {@value #DEFAULT_PORT}, lease 5 s. */
  public static Builder builder() {
    return new AutoValue_AgentLinkConfig.Builder()
        .bindAddress("0.0.0.0")
        .port(DEFAULT_PORT)
        .controllerVersion("unknown")
        .leaseMillis(5000)
        .messagesPerSecond(HostLimits.MESSAGES_PER_SECOND);
  }

  /** The local address to listen on, as a literal. */
  public abstract String bindAddress();

  /** The TCP port to listen on; 0 lets the system choose. */
  public abstract int port();

  /** The server's private key: PKCS#8 in PEM, not encrypted. */
  public abstract Path keyFile();

  /** The server's certificate chain in PEM. */
  public abstract Path certificateFile();

  /** The certificates in PEM that vouch for agents. */
  public abstract Path trustFile();

  /** This controller node, by which agents distinguish it from others. */
  public abstract String nodeName();

  /** This controller's version. */
  public abstract String controllerVersion();

  /** How long decisions hold at agents after the last message, ms. */
  public abstract int leaseMillis();

  /** A host that sends more in a second is quarantined. */
  abstract int messagesPerSecond();

  /** Builds a configuration. */
  @AutoValue.Builder
  public abstract static class Builder {

    public abstract Builder bindAddress(String address);

    public abstract Builder port(int port);

    public abstract Builder keyFile(Path file);

    public abstract Builder certificateFile(Path file);

    public abstract Builder trustFile(Path file);

    public abstract Builder nodeName(String name);

    public abstract Builder controllerVersion(String version);

    public abstract Builder leaseMillis(int millis);

    abstract Builder messagesPerSecond(int count);

    abstract AgentLinkConfig autoBuild();

    /**
     * The configuration, checked.
     *
     * @throws SluiceException of kind INVALID naming the first field that is out of range
     */
    public AgentLinkConfig build() throws SluiceException {
      AgentLinkConfig config = autoBuild();
      if (config.port() < 0 || config.port() > 65_535) {
        throw SluiceException.invalid(
            "port", config.port(), "There is no such TCP port", "Use a number from 1 to 65535");
      }
      if (config.leaseMillis() < MIN_LEASE_MILLIS || config.leaseMillis() > MAX_LEASE_MILLIS) {
        throw SluiceException.invalid(
            "leaseMillis",
            config.leaseMillis(),
            "A lease must lie within bounds",
            "Use milliseconds from " + MIN_LEASE_MILLIS + " to " + MAX_LEASE_MILLIS);
      }
      if (config.nodeName().isEmpty()) {
        throw SluiceException.invalid(
            "nodeName", "", "A controller node needs a name", "Use the node's own identifier");
      }
      return config;
    }
  }
}
