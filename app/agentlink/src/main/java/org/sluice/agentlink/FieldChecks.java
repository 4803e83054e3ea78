// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/** Checks of single fields of agents' messages; each refusal names the field. */
final class FieldChecks {
  static final long MAX_INTERVAL_NANOS = 600_000_000_000L;
  private static final int MAX_NAME_LENGTH = 128;

  private FieldChecks() {}

  static void atMost(String field, int count, int most) throws BadMessageException {
    if (count > most) {
      throw BadMessageException.ignored(field + " has " + count + " entries; at most " + most);
    }
  }

  static void notNegative(String field, long value) throws BadMessageException {
    if (value < 0) {
      throw BadMessageException.ignored(
          field + " is " + Long.toUnsignedString(value) + "; expected less than 2^63");
    }
  }

  /** The time that an observation covers. */
  static long interval(long nanos) throws BadMessageException {
    if (nanos == 0) {
      throw tooLong("interval_nanos", nanos);
    }
    return duration("interval_nanos", nanos);
  }

  /** A time of up to 10 minutes, 0 among them. */
  static long duration(String field, long nanos) throws BadMessageException {
    if (nanos < 0 || nanos > MAX_INTERVAL_NANOS) {
      throw tooLong(field, nanos);
    }
    return nanos;
  }

  private static BadMessageException tooLong(String field, long nanos) {
    return BadMessageException.ignored(
        field + " is " + Long.toUnsignedString(nanos) + "; expected up to 10 minutes");
  }

  static PortId port(String field, String text) throws BadMessageException {
    String readable = AgentText.readable(text, MAX_NAME_LENGTH);
    try {
      if (readable.equals(text)) {
        return PortId.parse(text);
      }
    } catch (IllegalArgumentException e) {
      // The refusal below names what is expected.
    }
    throw BadMessageException.ignored(
        field + " is '" + readable + "'; expected a form like of:0000000000000001/5");
  }

  static MacAddress mac(String field, ByteString bytes) throws BadMessageException {
    if (bytes.size() != 6) {
      throw BadMessageException.ignored(
          field + " has " + bytes.size() + " bytes; an Ethernet address has 6");
    }
    return MacAddress.of(bytes.toByteArray());
  }

  static String interfaceName(String field, String name) throws BadMessageException {
    if (!AgentText.isInterfaceName(name)) {
      throw BadMessageException.ignored(
          field
              + " is '"
              + AgentText.readable(name, MAX_NAME_LENGTH)
              + "'; an interface has 1 to 20 visible characters and no slash");
    }
    return name;
  }
}
