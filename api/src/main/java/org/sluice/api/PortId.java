// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A switch port: datapath id and port number, written {@code of:0000000000000001/5}. */
public final class PortId implements Comparable<PortId> {
  private static final Pattern FORM = Pattern.compile("([^/\\s]+)/([0-9]{1,10})");

  private final String datapath;
  private final long number;

  private PortId(String datapath, long number) {
    this.datapath = datapath;
    this.number = number;
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
      throw new IllegalArgumentException("'" + datapath + "/" + number + "' is no port");
    }
    return new PortId(datapath, number);
  }

  /**
   * Reads {@code of:0000000000000001/5}.
   *
   * @throws IllegalArgumentException for any other form
   */
  public static PortId parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no port: expected a form like of:0000000000000001/5");
    }
    return of(matcher.group(1), Long.parseLong(matcher.group(2)));
  }

  /** The switch as its controller names it. */
  public String datapath() {
    return datapath;
  }

  /** The OpenFlow port number. */
  public long number() {
    return number;
  }

  @Override
  public int compareTo(PortId other) {
    int byDatapath = datapath.compareTo(other.datapath);
    return byDatapath != 0 ? byDatapath : Long.compare(number, other.number);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PortId
        && number == ((PortId) other).number
        && datapath.equals(((PortId) other).datapath);
  }

  @Override
  public int hashCode() {
    return datapath.hashCode() * 31 + Long.hashCode(number);
  }

  @Override
  public String toString() {
    return datapath + "/" + number;
  }
}
