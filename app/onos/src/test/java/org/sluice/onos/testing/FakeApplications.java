// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.onosproject.app.ApplicationEvent;
import org.onosproject.app.ApplicationListener;
import org.onosproject.app.ApplicationService;
import org.onosproject.app.ApplicationServiceAdapter;
import org.onosproject.app.ApplicationState;
import org.onosproject.core.Application;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.CoreServiceAdapter;
import org.onosproject.core.DefaultApplicationId;
import org.onosproject.core.IdGenerator;

/** Applications by name, which tests activate; and ONOS's core, which numbers them. */
public final class FakeApplications extends ApplicationServiceAdapter
    implements ApplicationService {
  private final Map<String, ApplicationId> ids = new HashMap<>();
  private final Map<String, ApplicationState> states = new HashMap<>();
  private final List<ApplicationListener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Runnable> hooks = new HashMap<>();

  /** The core service that knows the same applications. */
  final CoreServiceAdapter core =
      new CoreServiceAdapter() {
        private final AtomicLong next = new AtomicLong(1);

        @Override
        public ApplicationId registerApplication(String name) {
          return ids.computeIfAbsent(name, n -> new DefaultApplicationId(ids.size() + 1, n));
        }

        @Override
        public ApplicationId registerApplication(String name, Runnable preDeactivate) {
          hooks.put(name, preDeactivate);
          return registerApplication(name);
        }

        @Override
        public ApplicationId getAppId(String name) {
          return registerApplication(name);
        }

        @Override
        public IdGenerator getIdGenerator(String topic) {
          return next::getAndIncrement;
        }
      };

  /** An application is activated or deactivated, as by an operator. */
  public void set(String name, ApplicationState state) {
    core.registerApplication(name);
    if (state == ApplicationState.INSTALLED && hooks.containsKey(name)) {
      hooks.remove(name).run();
    }
    states.put(name, state);
    listeners.forEach(
        listener ->
            listener.event(
                new ApplicationEvent(
                    ApplicationEvent.Type.APP_ACTIVATED, Wiring.nothing(Application.class))));
  }

  @Override
  public ApplicationId getId(String name) {
    return ids.get(name);
  }

  @Override
  public ApplicationState getState(ApplicationId id) {
    return states.get(id.name());
  }

  @Override
  public void addListener(ApplicationListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(ApplicationListener listener) {
    listeners.remove(listener);
  }
}
