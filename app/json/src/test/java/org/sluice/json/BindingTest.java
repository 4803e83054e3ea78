// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;

/** What Jackson refuses is worded as all refusals are, whichever the release. */
class BindingTest {
  private static final String ENDS = "\"source\":\"10.0.0.1\",\"destination\":\"10.0.0.5\"";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"id\":7}                              | Use a string in quotes",
        "{\"id\":[\"t1\"]}                       | Use a string in quotes",
        "{\"weight\":\"2\"}                      | Use a number without quotes",
        "{\"weight\":\"\"}                       | Use a number without quotes",
        "{\"weight\":false}                      | Use a number without quotes",
        "{\"weight\":[2]}                        | Use a number without quotes",
        "{\"ecn\":{}}                            | Use a string in quotes",
        "{\"ecn\":\"mark\"}                      | Use \"clear\" or \"preserve\"",
        "{\"members\":{}}                        | Use an array of objects",
        "{\"members\":\"\"}                      | Use an array of objects",
        "{\"members\":[null]}                    | Use an object in braces",
        "{\"members\":[\"\"]}                    | Use an object in braces",
        "{\"members\":[7]}                       | Use an object in braces",
        "{\"members\":[[{}]]}                    | Use an object in braces",
        "{\"members\":[{\"host\":1}]}            | Use a string in quotes",
        "{\"members\":[{\"ip\":1}]} | Use these fields: ipPrefix, mac, host, interface, domain,"
            + " namespace, labels, network, vlan, bridge, weight",
        "{\"members\":[{\"vlan\":\"1\"}]} | Use a number without quotes",
        "{\"members\":[{\"labels\":[]}]} | Use an object in braces",
        "{\"members\":[{\"labels\":{\"a\":1}}]} | Use a string in quotes",
        "{\"members\":[{\"weight\":\"2\"}]}      | Use a number without quotes",
        "{\"guaranteeBitsPerSecond\":5000000.5} | Use 0 (none) to 1000000 Mbit/s (1000000000000 bit/s)",
        "{\"id\":\"t1\",\"ceilingBitsPerSecond\":1e13} | Use 0 (none) to 1000000 Mbit/s (1000000000000 bit/s)",
        "{\"id\":\"t1\",\"guaranteeBitsPerSecond\":5e6,\"ceilingBitsPerSecond\":1}"
            + " | Use at least 5 Mbit/s (5000000 bit/s), or 0 for no ceiling",
        "{\"x\":1} | Use these fields: id, weight, guaranteeBitsPerSecond, ceilingBitsPerSecond, receiveCeilingBitsPerSecond,"
            + " ecn, members",
      })
  void everyWrongFieldHasItsRemedy(String body, String remedy) throws Exception {
    JsonNode json = parse(body);
    assertThat(refusal(() -> TenantJson.read(json, "")).remedy()).isEqualTo(remedy);
  }

  @Test
  void fieldPathStartsAtTheTenantsIndex() throws Exception {
    JsonNode wrong = parse("{\"id\":\"t1\",\"members\":[{\"mac\":\"02\"}]}");
    assertThat(refusal(() -> TenantJson.read(wrong, "tenants[3]")).field())
        .contains("tenants[3].members[0].mac");
    assertThat(refusal(() -> TenantJson.read(parse("{}"), "tenants[3]")).field())
        .contains("tenants[3].id");
    assertThat(refusal(() -> TenantJson.read(parse("{\"x\":1}"), "tenants[3]")).field())
        .contains("tenants[3].x");
  }

  /** Configuration and stores hand in trees that other mappers made. */
  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void aNumberIsFinite(double weight) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", "t1").put("weight", weight);
    SluiceException refused = refusal(() -> TenantJson.read(json, ""));
    assertThat(refused.field()).contains("weight");
    assertThat(refused.value()).isEqualTo(String.valueOf(weight));
  }

  @Test
  void doublesAreReadAsPrinted() throws Exception {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", "t1");
    Tenant tenant =
        TenantJson.read(json.put("weight", 0.1).put("ceilingBitsPerSecond", 12.3e6), "");
    assertThat(tenant.weight()).isEqualTo(0.1);
    assertThat(tenant.ceilingBitsPerSecond()).isEqualTo(12_300_000);
  }

  /** Arithmetic on all digits that the number stands for would take minutes. */
  @ParameterizedTest
  @ValueSource(strings = {"1e-999999999", "0e-999999999", "0e999999999", "1e999999999"})
  @Timeout(60)
  void largeExponentIsCheap(String number) throws Exception {
    for (String field : new String[] {"sizeBytes", "sourcePort", "dueInMillis"}) {
      ObjectNode json = parse("{" + ENDS + ",\"" + field + "\":" + number + "}");
      assertThat(refusal(() -> FlowJson.read(json, Instant.EPOCH))).isNotNull();
    }
  }

  @Test
  void aTimeIsRoundedUpToANanosecond() throws Exception {
    assertThat(nanos("0")).isZero();
    assertThat(nanos("1e-999999999")).isEqualTo(1);
    assertThat(nanos("0.000001")).isEqualTo(1);
    assertThat(nanos("0.0000011")).isEqualTo(2);
    assertThat(nanos("300")).isEqualTo(300_000_000);
  }

  @Test
  void aWholeNumberMayBeWrittenWithExponentOrDecimals() throws Exception {
    for (String size : new String[] {"400000", "4e5", "400000.0"}) {
      JsonNode json = parse("{\"sizeBytes\":" + size + "}");
      assertThat(FlowJson.readChange((ObjectNode) json, Instant.EPOCH).sizeBytes).hasValue(400_000);
    }
  }

  @Test
  void nullFieldCountsAsMissing() {
    assertThatCode(
            () ->
                TenantJson.read(
                    parse(
                        "{\"id\":\"t1\",\"weight\":null,\"members\":[{\"ipPrefix\":null,"
                            + "\"mac\":\"02:00:00:00:01:01\",\"host\":null,\"interface\":null}]}"),
                    ""))
        .doesNotThrowAnyException();
    assertThat(refusal(() -> TenantJson.read(parse("{\"id\":null}"), "")).field()).contains("id");
  }

  private static long nanos(String millis) throws SluiceException, IOException {
    return FlowJson.readChange(parse("{\"dueInMillis\":" + millis + "}"), Instant.EPOCH)
        .dueInNanos
        .getAsLong();
  }

  private static ObjectNode parse(String body) throws SluiceException, IOException {
    return RequestBody.readObject(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
  }

  private static SluiceException refusal(ThrowingCallable call) {
    return catchThrowableOfType(SluiceException.class, call);
  }
}
