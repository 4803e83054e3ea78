// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.lang.reflect.RecordComponent;
import org.sluice.sim.scenario.document.Fields;

/**
 * Constants of a law with some replaced: a component's name is the key, and {@code timerNanos} is
 * the key {@code timer} with a time, {@code pageBytes} the key {@code page} with a size. Laws have
 * many constants, and each is to be settable.
 */
final class RecordOverrides {
  private static final String NANOS = "Nanos";
  private static final String BYTES = "Bytes";

  private RecordOverrides() {}

  /** A record of the same type; what is not set stays. */
  static <R extends Record> R of(R defaults, Fields at) {
    RecordComponent[] components = defaults.getClass().getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        values[i] = value(components[i], components[i].getAccessor().invoke(defaults), at);
      }
      @SuppressWarnings("unchecked")
      Class<R> type = (Class<R>) defaults.getClass();
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a record's parts cannot be reached", e);
    }
  }

  private static Object value(RecordComponent component, Object otherwise, Fields at) {
    String name = component.getName();
    Class<?> type = component.getType();
    if (type == long.class && name.endsWith(NANOS)) {
      String key = name.substring(0, name.length() - NANOS.length());
      return at.nanos(key, (long) otherwise);
    }
    if (type == long.class && name.endsWith(BYTES)) {
      String key = name.substring(0, name.length() - BYTES.length());
      return at.bytes(key, (long) otherwise);
    }
    if (type == double.class) {
      return at.number(name, (double) otherwise);
    }
    if (type == int.class) {
      return at.integer(name, (int) otherwise);
    }
    return type == boolean.class ? at.flag(name, (boolean) otherwise) : otherwise;
  }
}
