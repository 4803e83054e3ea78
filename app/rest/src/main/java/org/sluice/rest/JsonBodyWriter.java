// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import javax.ws.rs.Produces;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.MultivaluedMap;
import javax.ws.rs.ext.MessageBodyWriter;
import javax.ws.rs.ext.Provider;
import org.sluice.json.Json;

/** Writes what resources return, unless it is text already. */
@Provider
@Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
public final class JsonBodyWriter implements MessageBodyWriter<Object> {
  @Override
  public boolean isWriteable(
      Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
    return type != String.class;
  }

  @Override
  public void writeTo(
      Object value,
      Class<?> type,
      Type genericType,
      Annotation[] annotations,
      MediaType mediaType,
      MultivaluedMap<String, Object> headers,
      OutputStream body)
      throws IOException {
    // By way of a string: half a surrogate pair, quoted from a request, becomes a question mark.
    // Jackson's own encoder would fail on it.
    body.write(Json.text(value).getBytes(StandardCharsets.UTF_8));
  }
}
