// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.platform.ForwardingComponent;
import org.sluice.onos.platform.OnosServices;

/** Does what OSGi would: gives components the services that their fields request. */
final class Wiring {
  private static final Set<Class<?>> COMPONENTS =
      Set.of(SluiceManager.class, OnosServices.class, ForwardingComponent.class);

  private final List<Object> services = new ArrayList<>();

  /** Makes a service known; the newest of a type is given out. */
  <T> T add(T service) {
    services.add(0, service);
    return service;
  }

  /** Fills every empty field whose type is an interface, or a class of ours, that a service has. */
  <T> T inject(T component) {
    for (Class<?> type = component.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (isReference(field)) {
          fill(component, field);
        }
      }
    }
    return component;
  }

  private static boolean isReference(Field field) {
    return !Modifier.isStatic(field.getModifiers())
        && (field.getType().isInterface() || COMPONENTS.contains(field.getType()));
  }

  private void fill(Object component, Field field) {
    try {
      field.setAccessible(true);
      if (field.get(component) == null) {
        Optional<Object> service =
            services.stream().filter(field.getType()::isInstance).findFirst();
        if (service.isPresent()) {
          field.set(component, service.get());
        }
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Calls a component's life cycle method, whatever its visibility. */
  static void call(Object component, String name, Object... arguments) {
    Method method =
        find(component, name, arguments.length)
            .orElseThrow(() -> new IllegalArgumentException(component + " has no " + name));
    try {
      method.setAccessible(true);
      method.invoke(component, arguments);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(component + "." + name, e);
    }
  }

  /** What a component keeps in a field of its own, whatever its visibility. */
  static <T> T field(Object component, String name, Class<T> type) {
    try {
      Field field = component.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return type.cast(field.get(component));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component + "." + name, e);
    }
  }

  static boolean has(Object component, String name, int parameters) {
    return find(component, name, parameters).isPresent();
  }

  private static Optional<Method> find(Object component, String name, int parameters) {
    for (Class<?> type = component.getClass(); type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == parameters) {
          return Optional.of(method);
        }
      }
    }
    return Optional.empty();
  }

  /** A service that does nothing and knows nothing. */
  static <T> T nothing(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "hashCode":
                  return System.identityHashCode(proxy);
                case "equals":
                  return proxy == arguments[0];
                case "toString":
                  return "no " + type.getSimpleName();
                default:
                  return nothingOf(method.getReturnType());
              }
            }));
  }

  private static Object nothingOf(Class<?> type) {
    if (type == boolean.class) {
      return false;
    }
    if (type == int.class) {
      return 0;
    }
    return type == long.class ? (Object) 0L : null;
  }
}
