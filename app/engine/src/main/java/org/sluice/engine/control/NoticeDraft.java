// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.PortId;
import org.sluice.api.link.Notice;

/**
 * The content of a notice, while it is handed over. It holds only during the call: tens of
 * thousands may go out in a tick, and who wants to keep one makes a {@link Notice} of it.
 */
public interface NoticeDraft {
  PortId port();

  /** The same as an object of its own. */
  Notice toNotice();
}
