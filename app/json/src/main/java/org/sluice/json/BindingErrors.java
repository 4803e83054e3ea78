// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.api.SluiceException;

/** Turns what Jackson refuses into refusals that name field, value and remedy. */
final class BindingErrors {
  static final String WRONG_TYPE = "This has the wrong type";

  private BindingErrors() {}

  /**
   * The refusal.
   *
   * @param root what was read
   * @param path where the root stands in the whole; may be empty
   */
  static SluiceException refusal(JsonMappingException error, JsonNode root, String path) {
    StringBuilder field = new StringBuilder(path);
    JsonNode value = root;
    for (JsonMappingException.Reference step : error.getPath()) {
      String name = step.getFieldName();
      value = name == null ? value.path(step.getIndex()) : value.path(name);
      if (name == null) {
        field.append('[').append(step.getIndex()).append(']');
      } else {
        field.append(field.length() == 0 ? "" : ".").append(name.isEmpty() ? "\"\"" : name);
      }
    }
    return refusal(error, field.toString(), value);
  }

  private static SluiceException refusal(JsonMappingException error, String field, JsonNode value) {
    if (error instanceof InvalidValueException) {
      InvalidValueException invalid = (InvalidValueException) error;
      return SluiceException.invalid(
          field,
          invalid.value().orElse(value.toString()),
          invalid.getOriginalMessage(),
          invalid.remedy());
    }
    if (error instanceof UnrecognizedPropertyException) {
      Class<?> type = ((UnrecognizedPropertyException) error).getReferringClass();
      String[] known = type.getAnnotation(JsonPropertyOrder.class).value();
      return SluiceException.invalid(
          field, value, "There is no such field", "Use these fields: " + String.join(", ", known));
    }
    if (error instanceof MismatchedInputException) {
      boolean object =
          error.getPath().get(error.getPath().size() - 1).getFieldName() == null
              || ((MismatchedInputException) error).getTargetType() == Map.class
              || ((MismatchedInputException) error).getTargetType() == LinkedHashMap.class;
      return SluiceException.invalid(
          field, value, WRONG_TYPE, object ? "Use an object in braces" : "Use an array of objects");
    }
    throw new IllegalStateException("a refusal of Jackson's that was not foreseen", error);
  }
}
