// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpAddressTest {

  /** RFC 5952 sections 4 and 5. */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1",
    "255.255.255.255, 255.255.255.255",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "2001:0DB8::0001, 2001:db8::1",
    "2001:db8:0:0:0:0:2:1, 2001:db8::2:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6::, 1:2:3:4:5:6::",
    "fe80::ff:fe00:105, fe80::ff:fe00:105",
    "::ffff:10.0.0.1, 10.0.0.1"
  })
  void writesTheOneFormOfRfc5952(String given, String written) {
    assertThat(IpAddress.parse(given)).hasToString(written);
  }

  @ParameterizedTest
  @CsvSource({"::ffff:192.0.2.1", "::ffff:0.0.0.0"})
  void writesMappedAddressesWithDots(String written) {
    byte[] mapped = new byte[16];
    mapped[10] = -1;
    mapped[11] = -1;
    byte[] last = IpAddress.parse(written.substring("::ffff:".length())).toBytes();
    System.arraycopy(last, 0, mapped, 12, 4);
    assertThat(IpAddress.of(mapped)).hasToString(written);
  }

  @Property
  void parsesItsOwnText(@ForAll @Size(16) byte[] bytes, @ForAll int zeros) {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (zeros >> i / 2 & 1) == 0 ? 0 : bytes[i];
    }
    IpAddress address = IpAddress.of(bytes);
    String text = address.toString();
    if (!text.startsWith("::ffff:") || !text.contains(".")) {
      assertThat(IpAddress.parse(text)).isEqualTo(address);
    }
    assertThat(text).matches("[0-9a-f:.]+").doesNotContain(":::");
  }
}
