// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.PortService;
import org.sluice.api.SettingService;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.QueueService;

/** Lists caps of background flows. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-caps",
    description =
        "Lists what background flows may send now by a port towards a port of the next switch where"
            + " short flows wait, and who holds them to it")
public final class CapsCommand extends ListCommand {

  @Override
  void list() throws JsonProcessingException {
    List<ActiveCap> caps = service(QueueService.class).caps();
    show(QueueListings.caps(service(PortService.class)::label), caps);
    if (caps.isEmpty() && !outputJson()) {
      print("%s", reason());
    }
  }

  private String reason() {
    SettingService settings = service(SettingService.class);
    return settings.value("caps").equals("off")
        ? "caps = off: " + settings.command("caps", "sluice")
        : "No queue of short flows is at its threshold now (sluice-queues).";
  }
}
