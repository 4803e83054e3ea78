// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.web;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.standalone.config.ConfigurationException;

/** The file of users: in each line a name, its password's hash, and roles between commas. */
public final class UsersFile {
  /** What the program runs as, where its package is installed. */
  private static final String GROUP = "sluiced";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,64}");
  private static final Set<String> ROLES =
      Set.of(Caller.ADMIN_ROLE, Caller.VIEWER_ROLE, Caller.TENANT_ROLE, Caller.DEADLINES_ROLE);

  /** A user. */
  record User(PasswordHash password, Set<String> roles) {}

  private UsersFile() {}

  /**
   * The users of a file; none where there is no file.
   *
   * @throws ConfigurationException with everything that is wrong in it
   */
  static Map<String, User> read(Path file) throws ConfigurationException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return Map.of();
    } catch (IOException e) {
      throw new ConfigurationException(
          file + ": it cannot be read: " + e + "; chgrp " + GROUP + " and chmod 0640 it");
    }
    Map<String, User> users = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String[] words = lines.get(i).strip().split("\\s+");
      if (!words[0].isEmpty() && !words[0].startsWith("#")) {
        try {
          if (words.length != 3) {
            throw new IllegalArgumentException(
                "expected are a name, a password's hash, and roles; use `sluiced users add`");
          }
          checkName(words[0]);
          Set<String> roles = new LinkedHashSet<>(Arrays.asList(words[2].split(",")));
          checkRoles(roles);
          users.put(words[0], new User(PasswordHash.parse(words[1]), roles));
        } catch (IllegalArgumentException e) {
          problems.add(file + ":" + (i + 1) + ": " + words[0] + ": " + e.getMessage());
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return users;
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'" + name + "' is no user's name; use up to 64 letters, digits, '.', '_', '@' or '-'");
    }
  }

  private static void checkRoles(Set<String> roles) {
    for (String role : roles) {
      if (!ROLES.contains(role) && !isOwn(role)) {
        throw new IllegalArgumentException(
            "'"
                + role
                + "' is no role; use admin, viewer, sluice-tenant, sluice-tenant-NAME or"
                + " sluice-deadlines");
      }
    }
  }

  private static boolean isOwn(String role) {
    try {
      return role.startsWith(Caller.OWN_ROLE_PREFIX)
          && TenantId.of(role.substring(Caller.OWN_ROLE_PREFIX.length())) != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Adds a user, or gives one another password and other roles. The running program sees it.
   *
   * @throws IllegalArgumentException if name or roles cannot be right
   * @throws ConfigurationException if what is there cannot be read
   */
  public static void add(Path file, String name, Set<String> roles, char[] password)
      throws IOException, ConfigurationException {
    add(file, name, new User(PasswordHash.of(password), roles));
  }

  static void add(Path file, String name, User added) throws IOException, ConfigurationException {
    checkName(name);
    checkRoles(added.roles());
    Map<String, User> users = new TreeMap<>(read(file));
    users.put(name, added);
    StringBuilder text = new StringBuilder("# Written by sluiced users add.\n");
    users.forEach(
        (user, as) ->
            text.append(user)
                .append(' ')
                .append(as.password())
                .append(' ')
                .append(String.join(",", as.roles()))
                .append('\n'));
    Path directory = file.toAbsolutePath().getParent();
    Path written =
        Files.createTempFile(
            directory,
            ".users",
            "",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(written, text);
      giveToGroup(written);
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
  }

  /** Root writes it, and the program reads it. */
  private static void giveToGroup(Path written) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(written, PosixFileAttributeView.class);
    if (!view.getOwner().getName().equals("root")) {
      return;
    }
    try {
      GroupPrincipal group =
          FileSystems.getDefault()
              .getUserPrincipalLookupService()
              .lookupPrincipalByGroupName(GROUP);
      view.setGroup(group);
      view.setPermissions(PosixFilePermissions.fromString("rw-r-----"));
    } catch (UserPrincipalNotFoundException e) {
      // Not installed as a package: whoever wrote it runs it.
    }
  }
}
