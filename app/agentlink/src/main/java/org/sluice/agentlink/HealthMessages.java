// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The two messages of gRPC's health checking protocol: a request with a service's name (field 1),
 * and an answer with its status (field 1). By hand: a generated class for each would be more, and
 * grpc-services brings libraries that the bundle does not need.
 */
final class HealthMessages {
  private static final int FIELD = 1;

  static final Marshaller<String> REQUEST =
      new Marshaller<String>() {
        @Override
        public InputStream stream(String service) {
          return written(out -> out.writeString(FIELD, service));
        }

        @Override
        public String parse(InputStream stream) {
          return read(stream, "", CodedInputStream::readStringRequireUtf8);
        }
      };

  static final Marshaller<ServingStatus> RESPONSE =
      new Marshaller<ServingStatus>() {
        @Override
        public InputStream stream(ServingStatus status) {
          return written(out -> out.writeEnum(FIELD, status.ordinal()));
        }

        @Override
        public ServingStatus parse(InputStream stream) {
          int number = read(stream, 0, CodedInputStream::readEnum);
          ServingStatus[] all = ServingStatus.values();
          return number > 0 && number < all.length ? all[number] : ServingStatus.UNKNOWN;
        }
      };

  /** In the order of the protocol's numbers. */
  enum ServingStatus {
    UNKNOWN,
    SERVING,
    NOT_SERVING,
    /** Of Watch alone. */
    SERVICE_UNKNOWN
  }

  private interface Writer {
    void write(CodedOutputStream out) throws IOException;
  }

  private interface Reader<T> {
    T read(CodedInputStream in) throws IOException;
  }

  private HealthMessages() {}

  private static InputStream written(Writer writer) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      writer.write(out);
      out.flush();
      return new ByteArrayInputStream(bytes.toByteArray());
    } catch (IOException e) {
      throw new IllegalStateException("memory was written", e);
    }
  }

  /** The field's last value; others are skipped, as of a later version of the protocol. */
  private static <T> T read(InputStream stream, T none, Reader<T> reader) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(stream);
      T value = none;
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (WireFormat.getTagFieldNumber(tag) == FIELD) {
          value = reader.read(in);
        } else {
          in.skipField(tag);
        }
      }
      return value;
    } catch (IOException e) {
      throw Status.INVALID_ARGUMENT
          .withDescription("this is not a message of " + HealthService.NAME)
          .withCause(e)
          .asRuntimeException();
    }
  }
}
