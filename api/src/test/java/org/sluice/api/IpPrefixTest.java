// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IpPrefixTest {

  @Test
  void containsAddressesWithItsLeadingBits() {
    IpPrefix prefix = IpPrefix.parse("10.1.128.0/17");
    assertThat(prefix.contains(IpAddress.parse("10.1.128.0"))).isTrue();
    assertThat(prefix.contains(IpAddress.parse("10.1.255.255"))).isTrue();
    assertThat(prefix.contains(IpAddress.parse("10.1.127.255"))).isFalse();
    assertThat(prefix.contains(IpAddress.parse("fd00::1"))).isFalse();
  }

  @Test
  void readsASingleAddressAsTheLongestPrefix() {
    assertThat(IpPrefix.parse("10.0.0.1").length()).isEqualTo(32);
    assertThat(IpPrefix.parse("fd00::1").length()).isEqualTo(128);
  }

  @Test
  void suggestsThePrefixOfAnAddressWithHostBits() {
    assertThatThrownBy(() -> IpPrefix.parse("10.1.2.3/16"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10.1.0.0/16");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "10.0.0.0/", "fd00::/129", "a/8"})
  void rejectsInvalidPrefixes(String text) {
    assertThatThrownBy(() -> IpPrefix.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "1.2.3", "1.2.3.256", "1.2.3.4.5", "::g", ":", "1:2"})
  void resolvesNoHostName(String text) {
    assertThatThrownBy(() -> IpAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void everyMaskedAddressIsContained(
      @ForAll @Size(4) byte[] bytes, @ForAll @IntRange(max = 32) int length) {
    IpAddress address = IpAddress.of(bytes);
    IpPrefix prefix = IpPrefix.parse(address.masked(length) + "/" + length);
    assertThat(prefix.contains(address)).isTrue();
    assertThat(IpPrefix.parse(prefix.toString())).isEqualTo(prefix);
  }

  @Property
  void addressParsesItsOwnText(@ForAll @Size(4) byte[] bytes) {
    IpAddress address = IpAddress.of(bytes);
    assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
  }
}
