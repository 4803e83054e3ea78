// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.standalone.config.ConfigurationException;

/** Who may log in, as it stands in a file. */
class UsersFileTest {
  @TempDir Path directory;

  /** With few rounds: tests run as interpreted code, nearly. */
  private static UsersFile.User user(String password, String role) {
    return new UsersFile.User(PasswordHash.of(password.toCharArray(), 1000), Set.of(role));
  }

  @Test
  void whatIsWrittenIsReadAndNoPasswordStandsThere() throws Exception {
    Path file = directory.resolve("users");
    UsersFile.add(file, "ada", user("first", "admin"));
    UsersFile.add(file, "ada", user("second", "viewer"));

    UsersFile.User ada = UsersFile.read(file).get("ada");
    assertThat(ada.roles()).containsExactly("viewer");
    assertThat(ada.password().matches("second".toCharArray())).isTrue();
    assertThat(ada.password().matches("first".toCharArray())).isFalse();
    assertThat(Files.readString(file)).doesNotContain("second");
    assertThat(Files.getPosixFilePermissions(file).toString()).doesNotContain("OTHERS");
    assertThatThrownBy(() -> UsersFile.add(file, "bob", user("x", "root")))
        .hasMessageContaining("'root' is no role; use admin");
  }

  /** Whoever has logged in is not asked for the work of a hash again with each look at the file. */
  @Test
  void whatHasNotChangedIsEqual() throws Exception {
    Path file = directory.resolve("users");
    UsersFile.add(file, "ada", user("first", "admin"));
    UsersFile.User before = UsersFile.read(file).get("ada");
    assertThat(UsersFile.read(file).get("ada")).isEqualTo(before).hasSameHashCodeAs(before);
    UsersFile.add(file, "ada", user("first", "admin"));
    assertThat(UsersFile.read(file).get("ada")).isNotEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ada plain admin|:1: ada: this is no password as `sluiced users add` writes it
          ada admin|:1: ada: expected are a name, a password's hash, and roles
          a:b pbkdf2-sha512$1$AAAA$AAAA admin|:1: a:b: 'a:b' is no user's name; use up to 64
          ada pbkdf2-sha512$1$AAAA$AAAA sluice-tenant-/|'sluice-tenant-/' is no role; use admin
          """)
  void mistakesAreNamed(String line, String complaint) throws Exception {
    Path file = directory.resolve("users");
    Files.writeString(file, line + "\n");
    assertThatThrownBy(() -> UsersFile.read(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file + ":")
        .hasMessageContaining(complaint);
  }
}
