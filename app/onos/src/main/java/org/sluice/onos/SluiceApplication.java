// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos;

import org.onosproject.core.ApplicationId;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.setting.Settings;

/** The application's identity, settings and journal, for its own components. */
public interface SluiceApplication {

  ApplicationId id();

  Settings settings();

  NodeJournal journal();
}
