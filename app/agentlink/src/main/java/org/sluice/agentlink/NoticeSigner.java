// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.Notice;

/**
 * Signs and numbers one controller node's notices to one host in band, under one key: notices of
 * format v1 (docs/notices.md). Not thread-safe.
 */
public final class NoticeSigner {
  private static final byte VERSION = 1;
  private static final byte TYPE_NOTICE = 2;
  private static final byte SIGNED = 1;
  private static final byte WIDE = 2;
  private static final int HEAD_BYTES = 72;
  private static final int MOST_LIST_BYTES = 128;
  private static final int AUTHENTICATOR_BYTES = 16;
  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern DATAPATH = Pattern.compile("of:([0-9a-f]{16})");

  /** OpenFlow's OFPP_MAX: numbers above it are of no physical or logical port. */
  private static final long MOST_PORT_NUMBER = 0xffffff00L;

  private static final long MOST_PERIOD_MICROS = TimeUnit.MINUTES.toMicros(1);
  private static final long MOST_BITS_PER_SECOND = 100_000_000_000_000L;

  private final int keyId;
  private final Mac mac;
  private long sequence;

  /**
   * Numbers from 1.
   *
   * @param key 32 bytes, which only this node and the host have
   */
  public NoticeSigner(int keyId, byte[] key) {
    this(keyId, key, 1);
  }

  NoticeSigner(int keyId, byte[] key, long firstSequence) {
    this.keyId = keyId;
    this.sequence = firstSequence;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + ALGORITHM, e);
    }
  }

  /** Why a notice cannot be encoded in band; empty if it can. */
  public static Optional<String> obstacle(Notice notice) {
    String reason = null;
    if (!isOpenFlow(notice.port())) {
      reason = "its port " + notice.port() + " has no datapath id and number";
    } else if (notice.destinations().isEmpty()) {
      reason = "it names no destination";
    } else if (listBytes(notice.destinations()) > MOST_LIST_BYTES) {
      reason =
          "it names "
              + notice.destinations().size()
              + " destinations, and has room for "
              + MOST_LIST_BYTES / addressBytes(notice.destinations());
    } else if (!isCount(notice.marks()) || !isCount(notice.packets())) {
      reason = "its marks or packets are out of range";
    } else if (periodMicros(notice) < 1 || periodMicros(notice) > MOST_PERIOD_MICROS) {
      reason = "its period is not between a microsecond and a minute";
    } else if (notice.capacityBitsPerSecond() < 1
        || notice.capacityBitsPerSecond() > MOST_BITS_PER_SECOND
        || notice.shareBitsPerSecond() < 0
        || notice.shareBitsPerSecond() > MOST_BITS_PER_SECOND) {
      reason = "its rates are not between 1 and " + MOST_BITS_PER_SECOND + " bit/s";
    }
    return Optional.ofNullable(reason);
  }

  /**
   * The frame of a notice, with the next number.
   *
   * @param term in which the node decides about the port
   * @throws IllegalArgumentException if there is an {@link #obstacle}
   */
  public byte[] frame(InBandPath path, Notice notice, long term) {
    obstacle(notice)
        .ifPresent(
            reason -> {
              throw new IllegalArgumentException("a notice cannot travel in band: " + reason);
            });
    Set<IpAddress> destinations = new TreeSet<>(notice.destinations());
    boolean wide = addressBytes(destinations) > 4;
    Matcher datapath = DATAPATH.matcher(notice.port().datapath());
    datapath.matches();
    ByteBuffer message =
        ByteBuffer.allocate(HEAD_BYTES + listBytes(destinations) + AUTHENTICATOR_BYTES);
    message
        .put(VERSION)
        .put(TYPE_NOTICE)
        .put(wide ? SIGNED | WIDE : SIGNED)
        .put((byte) destinations.size())
        .putInt(keyId)
        .putInt((int) notice.port().number())
        .putInt((int) periodMicros(notice))
        .putLong(sequence++)
        .putLong(Long.parseUnsignedLong(datapath.group(1), 16))
        .putLong(term)
        .putDouble(notice.marks())
        .putDouble(notice.packets())
        .putLong(notice.shareBitsPerSecond())
        .putLong(notice.capacityBitsPerSecond());
    for (IpAddress destination : destinations) {
      message.put(wide ? InBandPath.wide(destination) : destination.toBytes());
    }
    mac.update((byte) path.protocol());
    mac.update(InBandPath.wide(path.source()));
    mac.update(InBandPath.wide(path.destination()));
    mac.update(message.array(), 0, message.position());
    message.put(mac.doFinal(), 0, AUTHENTICATOR_BYTES);
    return path.frame(message.array());
  }

  private static boolean isOpenFlow(PortId port) {
    return DATAPATH.matcher(port.datapath()).matches()
        && port.number() >= 1
        && port.number() <= MOST_PORT_NUMBER;
  }

  private static boolean isCount(double value) {
    return value >= 0 && !Double.isInfinite(value);
  }

  private static long periodMicros(Notice notice) {
    return TimeUnit.NANOSECONDS.toMicros(notice.periodNanos());
  }

  private static int listBytes(Set<IpAddress> destinations) {
    return destinations.size() * addressBytes(destinations);
  }

  /** One IPv6 address among them makes all of them wide. */
  private static int addressBytes(Set<IpAddress> destinations) {
    return destinations.stream().allMatch(IpAddress::isIpv4) ? 4 : 16;
  }
}
