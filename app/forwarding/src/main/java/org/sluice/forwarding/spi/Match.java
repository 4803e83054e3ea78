// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/**
 * What a rule matches: OpenFlow 1.3's fields by their names there, each exactly and none in part.
 * Fields that are empty match everything.
 */
@AutoValue
public abstract class Match {

  public static Builder builder() {
    return new AutoValue_Match.Builder();
  }

  public abstract OptionalLong inPort();

  public abstract OptionalInt ethType();

  public abstract Optional<MacAddress> ethSrc();

  public abstract OptionalInt ipProto();

  public abstract OptionalInt ipDscp();

  public abstract OptionalInt ipEcn();

  /** IPv4 or IPv6, as {@link #ethType} says. */
  public abstract Optional<IpAddress> ipSrc();

  /** IPv4 or IPv6, as {@link #ethType} says. */
  public abstract Optional<IpAddress> ipDst();

  public abstract OptionalInt tcpSrc();

  public abstract OptionalInt tcpDst();

  public abstract OptionalInt arpOp();

  public abstract Optional<IpAddress> arpTpa();

  public abstract OptionalInt icmpv6Type();

  public abstract Optional<IpAddress> ipv6NdTarget();

  public abstract Builder toBuilder();

  /** Collects fields. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder inPort(long number);

    public abstract Builder ethType(int type);

    public abstract Builder ethSrc(MacAddress mac);

    public abstract Builder ipProto(int protocol);

    public abstract Builder ipDscp(int dscp);

    public abstract Builder ipEcn(int codepoint);

    public abstract Builder ipSrc(IpAddress ip);

    public abstract Builder ipDst(IpAddress ip);

    public abstract Builder tcpSrc(int port);

    public abstract Builder tcpDst(int port);

    public abstract Builder arpOp(int operation);

    public abstract Builder arpTpa(IpAddress ip);

    public abstract Builder icmpv6Type(int type);

    public abstract Builder ipv6NdTarget(IpAddress ip);

    public abstract Match build();
  }
}
