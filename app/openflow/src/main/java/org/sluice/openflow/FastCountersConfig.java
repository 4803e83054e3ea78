// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import com.google.auto.value.AutoValue;

/** Where switches are awaited. */
@AutoValue
public abstract class FastCountersConfig {
  /** The port beside ONOS's own 6653. */
  public static final int DEFAULT_PORT = 6654;

  /** A thousand switches, and some that are about to leave. */
  public static final int DEFAULT_MAX_CONNECTIONS = 1024;

  private static final int MAX_PORT = 65535;

  /** Starts with every address, port 6654 and at most 1024 connections. */
  public static Builder builder() {
    return new AutoValue_FastCountersConfig.Builder()
        .address("")
        .port(DEFAULT_PORT)
        .maxConnections(DEFAULT_MAX_CONNECTIONS);
  }

  /** The local address to listen on; empty: every one. */
  public abstract String address();

  /** The TCP port; 0: any that is free. */
  public abstract int port();

  /** Connections beyond this many are closed at once. */
  public abstract int maxConnections();

  /** Builds a configuration. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder address(String address);

    public abstract Builder port(int port);

    public abstract Builder maxConnections(int count);

    abstract FastCountersConfig autoBuild();

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException if the port is not 0 to 65535 or no connection is allowed
     */
    public final FastCountersConfig build() {
      FastCountersConfig config = autoBuild();
      if (config.port() < 0 || config.port() > MAX_PORT) {
        throw new IllegalArgumentException("port " + config.port() + ": use 0 to 65535");
      }
      if (config.maxConnections() < 1) {
        throw new IllegalArgumentException(
            "maxConnections " + config.maxConnections() + ": use 1 or more");
      }
      return config;
    }
  }
}
