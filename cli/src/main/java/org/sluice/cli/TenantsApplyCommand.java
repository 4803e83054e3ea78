// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.FileCompleter;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;
import org.sluice.json.RequestBody;
import org.sluice.json.TenantJson;

/** Puts a file's tenants in the place of all others. */
@Service
@Needs(Permission.CHANGE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-tenants-apply",
    description =
        "Puts the tenants of a JSON file, {\"tenants\": [...]}, in the place of all others, or"
            + " changes nothing")
public final class TenantsApplyCommand extends SluiceCommand {
  private static final String DRY_RUN = "--dry-run";
  private static final List<String> FLAGS =
      List.of(DRY_RUN, TenantSetCommand.ALLOW_REFUSED_ADDRESSES);

  @Option(name = DRY_RUN, description = "Only show what would change")
  private boolean dryRun;

  @Option(
      name = TenantSetCommand.ALLOW_REFUSED_ADDRESSES,
      description = TenantSetCommand.ALLOWS_REFUSED_ADDRESSES)
  private boolean allowsRefusedAddresses;

  @Argument(
      name = "file",
      description = "A JSON file on the controller's machine; options may also follow",
      required = true,
      multiValued = true)
  @Completion(FileCompleter.class)
  private List<String> arguments;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    TrailingOptions behind = behind(arguments.subList(1, arguments.size()), Map.of(), FLAGS);
    boolean isDry = dryRun || behind.has(DRY_RUN);
    List<Tenant> tenants = read(arguments.get(0));
    TenantAdminService admin = service(TenantAdminService.class).by(user.get());
    if (allowsRefusedAddresses || behind.has(TenantSetCommand.ALLOW_REFUSED_ADDRESSES)) {
      admin = admin.allowingRefusedAddresses();
    }
    TenantSetChange change = admin.replaceAll(tenants, Expectation.none(), isDry);
    if (outputJson()) {
      boolean applied = !isDry && change.refusals().isEmpty();
      print(
          "%s",
          mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json(change, applied)));
    } else {
      change.refusals().forEach(refusal -> print("%s", Refusals.line(refusal)));
      show("created", change.created());
      show("changed", change.changed());
      show("removed", change.removed());
      show("unchanged", change.unchanged());
    }
    if (!change.refusals().isEmpty()) {
      throw SluiceException.conflict(
          "", "", "Nothing changed", "Correct what is refused, and apply the file again");
    }
  }

  private static List<Tenant> read(String file) throws SluiceException {
    List<SluiceException> refusals = new ArrayList<>();
    List<Tenant> tenants;
    try (InputStream stream = Files.newInputStream(Path.of(file))) {
      tenants =
          TenantJson.readSet(RequestBody.readObject(stream, TenantJson.MAX_SET_BYTES), refusals);
    } catch (IOException | InvalidPathException e) {
      throw SluiceException.invalid(
          "file",
          file,
          "This is not a file that the controller can read",
          "Use the path of a JSON file on the controller's machine");
    }
    if (!refusals.isEmpty()) {
      throw refusals.get(0);
    }
    return tenants;
  }

  private void show(String done, List<TenantId> tenants) {
    if (!tenants.isEmpty()) {
      print(
          "%-9s  %s", done, tenants.stream().map(TenantId::name).collect(Collectors.joining(", ")));
    }
  }

  private ObjectNode json(TenantSetChange change, boolean applied) {
    ObjectNode json = mapper().createObjectNode();
    json.put("applied", applied);
    add(json, "created", change.created());
    add(json, "changed", change.changed());
    add(json, "removed", change.removed());
    add(json, "unchanged", change.unchanged());
    ArrayNode refusals = json.putArray("refusals");
    change.refusals().forEach(refusal -> refusals.add(Refusals.line(refusal)));
    return json;
  }

  private static void add(ObjectNode json, String done, List<TenantId> tenants) {
    ArrayNode names = json.putArray(done);
    tenants.forEach(tenant -> names.add(tenant.name()));
  }
}
