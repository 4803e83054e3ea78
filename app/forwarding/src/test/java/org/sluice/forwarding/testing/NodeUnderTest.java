// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.FakeLink;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.spi.ForwardingPlatform;

/** The whole controller with forwarding on a platform; its agents are a test's. */
public interface NodeUnderTest {

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

  /** What forwarding stands on, alone: instead of a start. */
  ForwardingPlatform platform();

  FakeLink link();

  NodeJournal journal();
}
