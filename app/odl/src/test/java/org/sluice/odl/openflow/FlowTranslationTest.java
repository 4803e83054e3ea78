// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4Prefix;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.Ipv4MatchBuilder;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;

class FlowTranslationTest {
  private static final String S1 = "of:0000000000000001";

  @Property
  void matchesComeBackAsTheyWere(@ForAll("matches") Match match) {
    assertThat(FlowReader.match(FlowWriter.match(key(match)))).contains(match);
  }

  @Property
  void treatmentsComeBackAsTheyWere(@ForAll("treatments") Treatment treatment) {
    assertThat(FlowReader.treatment(FlowWriter.instructions(treatment))).contains(treatment);
  }

  @Example
  void portsAreReadWithAndWithoutTheirSwitch() {
    for (String port : List.of("openflow:1:7", "7")) {
      assertThat(
              FlowReader.match(new MatchBuilder().setInPort(new NodeConnectorId(port)).build())
                  .orElseThrow()
                  .inPort())
          .isEqualTo(OptionalLong.of(7));
    }
  }

  @Example
  void networksAreNoneOfOurs() {
    assertThat(
            FlowReader.match(
                new MatchBuilder()
                    .setLayer3Match(
                        new Ipv4MatchBuilder().setIpv4Source(new Ipv4Prefix("10.0.0.0/24")).build())
                    .build()))
        .isEmpty();
  }

  private static Rule.Key key(Match match) {
    return Rule.Key.of(S1, 1, 100, match);
  }

  @Provide
  Arbitrary<Match> matches() {
    return Arbitraries.oneOf(ip(4), ip(6), arp());
  }

  private static Arbitrary<IpAddress> address(int version) {
    return Arbitraries.bytes()
        .array(byte[].class)
        .ofSize(version == 4 ? 4 : 16)
        .map(IpAddress::of)
        .filter(ip -> ip.isIpv4() == (version == 4));
  }

  private static Arbitrary<Match.Builder> first(int ethType) {
    return Combinators.combine(
            Arbitraries.longs().between(1, 0xffffff00L).optional(),
            Arbitraries.bytes().array(byte[].class).ofSize(6).map(MacAddress::of).optional())
        .as(
            (port, mac) -> {
              Match.Builder match = Match.builder().ethType(ethType);
              port.ifPresent(match::inPort);
              mac.ifPresent(match::ethSrc);
              return match;
            });
  }

  private static Arbitrary<Match> ip(int version) {
    return Combinators.combine(
            first(version == 4 ? 0x0800 : 0x86dd),
            address(version).optional(),
            address(version).optional(),
            Arbitraries.integers().between(0, 63).optional(),
            Arbitraries.integers().between(0, 3).optional(),
            Arbitraries.integers().between(1, 0xffff).optional(),
            Arbitraries.integers().between(1, 0xffff).optional(),
            address(6).optional())
        .as(
            (match, source, destination, dscp, ecn, tcpSrc, tcpDst, target) -> {
              source.ifPresent(match::ipSrc);
              destination.ifPresent(match::ipDst);
              dscp.ifPresent(match::ipDscp);
              ecn.ifPresent(match::ipEcn);
              if (version == 6 && target.isPresent()) {
                match.ipProto(58).icmpv6Type(135).ipv6NdTarget(target.get());
              } else if (tcpSrc.isPresent() || tcpDst.isPresent()) {
                match.ipProto(6);
                tcpSrc.ifPresent(match::tcpSrc);
                tcpDst.ifPresent(match::tcpDst);
              }
              return match.build();
            });
  }

  private static Arbitrary<Match> arp() {
    return Combinators.combine(
            first(0x0806), Arbitraries.of(1, 2).optional(), address(4).optional())
        .as(
            (match, operation, target) -> {
              operation.ifPresent(match::arpOp);
              target.ifPresent(match::arpTpa);
              return match.build();
            });
  }

  @Provide
  Arbitrary<Treatment> treatments() {
    return Combinators.combine(
            Arbitraries.longs().between(1, 0xffff0000L).optional(),
            Arbitraries.longs().between(1, 0xffffff00L).optional(),
            Arbitraries.oneOf(
                    Arbitraries.longs().between(1, 0xffffff00L),
                    Arbitraries.just(Treatment.CONTROLLER))
                .list()
                .ofMaxSize(3),
            Arbitraries.integers().between(1, 254).optional())
        .as(
            (meter, group, outputs, table) -> {
              Treatment.Builder steps = Treatment.builder().outputs(outputs);
              meter.ifPresent(steps::meter);
              group.ifPresent(steps::group);
              table.ifPresent(steps::gotoTable);
              return steps.build();
            });
  }
}
