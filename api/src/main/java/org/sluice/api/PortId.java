// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A switch port: datapath id and port number, written {@code of:0000000000000001/5}. Or a receive
 * port, which is what arrives at a host's interface with a receive ceiling: host and interface,
 * written {@code host:h1/vm1}.
 */
public final class PortId implements Comparable<PortId> {
  private static final String RECEIVER_PREFIX = "host:";

  /** Ids are compared as text, so each port has one. */
  private static final Pattern FORM =
      Pattern.compile("(of:[0-9a-f]{16}|(?!(?i:of:))[^/\\s]+)/(0|[1-9][0-9]{0,9})");

  private static final Pattern OTHER_SPELLING =
      Pattern.compile("(?i:of:([0-9a-f]{1,16}))/([0-9]{1,10})");
  private static final Pattern RECEIVER_FORM = Pattern.compile(RECEIVER_PREFIX + "([^/]+)/([^/]+)");
  private static final long NO_NUMBER = -1;

  private final String datapath;
  private final long number;

  /** Empty for a switch port. */
  private final String interfaceName;

  private PortId(String datapath, long number, String interfaceName) {
    this.datapath = datapath;
    this.number = number;
    this.interfaceName = interfaceName;
  }

  /**
   * A port of a switch.
   *
   * @param datapath the switch as its controller names it ({@code of:0000000000000001})
   * @param number the OpenFlow port number, 0 to 2^32 - 1
   * @throws IllegalArgumentException if the number is out of range or the switch has no name
   */
  public static PortId of(String datapath, long number) {
    Objects.requireNonNull(datapath, "datapath");
    if (datapath.isEmpty() || number < 0 || number > 0xffffffffL) {
      throw new IllegalArgumentException("'" + datapath + "/" + number + "' is not a port");
    }
    return new PortId(datapath, number, "");
  }

  /**
   * The receive port of a host's interface: the host's side of a virtual NIC, or the uplink.
   *
   * @throws IllegalArgumentException if Linux would not accept the interface's name
   */
  public static PortId ofReceiver(HostId host, String interfaceName) {
    if (!EndpointId.isInterfaceName(interfaceName)) {
      throw new IllegalArgumentException("'" + interfaceName + "' is not an interface name");
    }
    return new PortId(RECEIVER_PREFIX + host, NO_NUMBER, interfaceName);
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException for any other form or spelling
   */
  public static PortId parse(String text) {
    Matcher receiver = RECEIVER_FORM.matcher(text);
    if (receiver.matches()) {
      return ofReceiver(HostId.of(receiver.group(1)), receiver.group(2));
    }
    Matcher matcher = FORM.matcher(text);
    if (matcher.matches()) {
      return of(matcher.group(1), Long.parseLong(matcher.group(2)));
    }
    Matcher spelled = OTHER_SPELLING.matcher(text);
    if (spelled.matches()) {
      long datapath = Long.parseUnsignedLong(spelled.group(1), 16);
      PortId meant = of(String.format("of:%016x", datapath), Long.parseLong(spelled.group(2)));
      throw new IllegalArgumentException(
          "'" + text + "' is not how this port is written: use " + meant);
    }
    throw new IllegalArgumentException(
        "'"
            + text
            + "' is not a port: expected a form like of:0000000000000001/5 (16 lower-case"
            + " hexadecimal digits, a number up to 4294967295) or host:h1/vm1");
  }

  /** As operators read it: {@code leaf1:eth3 (of:0000000000000001/5)}, or the id alone. */
  public static String label(PortId id, Optional<String> name) {
    return name.map(known -> known + " (" + id + ")").orElseGet(id::toString);
  }

  /** Whether it is what arrives at a host's interface, and no switch's. */
  public boolean isReceiver() {
    return !interfaceName.isEmpty();
  }

  /** The switch as its controller names it; of a receive port its host, {@code host:h1}. */
  public String datapath() {
    return datapath;
  }

  /** The OpenFlow port number; -1 for a receive port. */
  public long number() {
    return number;
  }

  @Override
  public int compareTo(PortId other) {
    int byDatapath = datapath.compareTo(other.datapath);
    int byNumber = byDatapath != 0 ? byDatapath : Long.compare(number, other.number);
    return byNumber != 0 ? byNumber : interfaceName.compareTo(other.interfaceName);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PortId
        && number == ((PortId) other).number
        && datapath.equals(((PortId) other).datapath)
        && interfaceName.equals(((PortId) other).interfaceName);
  }

  @Override
  public int hashCode() {
    return (datapath.hashCode() * 31 + Long.hashCode(number)) * 31 + interfaceName.hashCode();
  }

  @Override
  public String toString() {
    return datapath + "/" + (isReceiver() ? interfaceName : number);
  }
}
