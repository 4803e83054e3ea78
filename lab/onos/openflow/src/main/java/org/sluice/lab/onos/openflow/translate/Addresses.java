// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import java.util.function.BiFunction;
import java.util.function.Function;
import org.onlab.packet.IpPrefix;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.EthCriterion;
import org.onosproject.net.flow.criteria.IPCriterion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Codecs of the address fields, with masks and prefixes. */
final class Addresses {

  private Addresses() {}

  static org.onlab.packet.MacAddress mac(MacAddress address) {
    return org.onlab.packet.MacAddress.valueOf(address.getLong());
  }

  static FieldCodec<EthCriterion, MacAddress> mac(
      MatchField<MacAddress> field,
      Function<org.onlab.packet.MacAddress, Criterion> exact,
      BiFunction<org.onlab.packet.MacAddress, org.onlab.packet.MacAddress, Criterion> masked) {
    return new FieldCodec<>(
        field,
        c -> MacAddress.of(c.mac().toLong()),
        Addresses::maskOf,
        (v, m) -> m == null ? exact.apply(mac(v)) : masked.apply(mac(v), mac(m)));
  }

  private static MacAddress maskOf(EthCriterion criterion) {
    boolean masked =
        criterion.type() == Criterion.Type.ETH_DST_MASKED
            || criterion.type() == Criterion.Type.ETH_SRC_MASKED;
    return masked ? MacAddress.of(criterion.mask().toLong()) : null;
  }

  static FieldCodec<IPCriterion, IPv4Address> ip4(
      MatchField<IPv4Address> field, Function<IpPrefix, Criterion> criterion) {
    return new FieldCodec<>(
        field,
        c -> IPv4Address.of(c.ip().address().toOctets()),
        c -> isHost(c) ? null : IPv4Address.ofCidrMaskLength(c.ip().prefixLength()),
        (v, m) ->
            criterion.apply(
                IpPrefix.valueOf(v.getInt(), m == null ? 32 : Integer.bitCount(m.getInt()))));
  }

  static FieldCodec<IPCriterion, IPv6Address> ip6(
      MatchField<IPv6Address> field, Function<IpPrefix, Criterion> criterion) {
    return new FieldCodec<>(
        field,
        c -> IPv6Address.of(c.ip().address().toOctets()),
        c -> isHost(c) ? null : IPv6Address.ofCidrMaskLength(c.ip().prefixLength()),
        (v, m) ->
            criterion.apply(
                IpPrefix.valueOf(
                    org.onlab.packet.IpAddress.Version.INET6,
                    v.getBytes(),
                    m == null ? 128 : m.asCidrMaskLength())));
  }

  private static boolean isHost(IPCriterion criterion) {
    return criterion.ip().prefixLength() == criterion.ip().address().toOctets().length * 8;
  }
}
