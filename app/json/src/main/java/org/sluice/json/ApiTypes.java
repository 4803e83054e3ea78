// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Function;
import org.sluice.api.ClockTime;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

/**
 * How single values are written and read: identifiers, addresses and times as the strings that they
 * print as, constants in lower case with hyphens.
 */
final class ApiTypes extends SimpleModule {
  private static final long serialVersionUID = 1L;

  ApiTypes() {
    super("sluice");
    string(TenantId.class, TenantId::of, "Use an id such as t1");
    string(HostId.class, HostId::of, "Use a host such as h1");
    string(IpAddress.class, IpAddress::parse, "Use an address such as 10.0.0.1");
    string(IpPrefix.class, IpPrefix::parse, "Use a prefix such as 10.1.0.0/16");
    string(MacAddress.class, MacAddress::parse, "Use an address such as 02:00:00:00:01:01");
    string(Instant.class, ClockTime::parse, "Use a time such as 2026-01-01T00:00:00.300Z");
    addSerializer(Instant.class, new TimeSerializer());
    addDeserializer(
        EcnTreatment.class,
        StrictDeserializer.ofString(
            EcnTreatment.class, EcnTreatment::parse, "Use \"clear\" or \"preserve\""));
    addSerializer(EndpointId.class, ToStringSerializer.instance);
    addSerializer(PortId.class, ToStringSerializer.instance);
    addSerializer(new ConstantSerializer());
    addDeserializer(String.class, StrictDeserializer.ofString(String.class, text -> text, ""));
    addDeserializer(BigDecimal.class, StrictDeserializer.ofNumber());
    addDeserializer(Long.class, StrictDeserializer.ofRate());
    addDeserializer(Boolean.class, StrictDeserializer.ofBoolean());
  }

  private <T> void string(Class<T> type, Function<String, T> parser, String remedy) {
    addSerializer(type, ToStringSerializer.instance);
    addDeserializer(type, StrictDeserializer.ofString(type, parser, remedy));
  }

  private static final class TimeSerializer extends StdSerializer<Instant> {
    private static final long serialVersionUID = 1L;

    TimeSerializer() {
      super(Instant.class);
    }

    @Override
    public void serialize(Instant time, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeString(ClockTime.text(time));
    }
  }

  @SuppressWarnings("rawtypes")
  private static final class ConstantSerializer extends StdSerializer<Enum> {
    private static final long serialVersionUID = 1L;

    ConstantSerializer() {
      super(Enum.class);
    }

    @Override
    public void serialize(Enum constant, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeString(constant.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }
}
