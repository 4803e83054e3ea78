// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.FakeLink;
import org.sluice.forwarding.ForwardingPlane;

/** The whole controller with forwarding on a platform; its agents are a test's. */
public interface NodeUnderTest extends StandingNode {

  @Override
  FabricUnderTest fabric();

  /** The application is activated. */
  NodeUnderTest start();

  /** The platform stops: what switches have stays with them. */
  void stop();

  /** An operator deactivates the application. */
  void deactivate();

  /** An operator sets a property. */
  void set(String name, Object value);

  /** A service that the node offers. */
  <T> T service(Class<T> type);

  ForwardingPlane plane();

  FakeLink link();

  NodeJournal journal();
}
