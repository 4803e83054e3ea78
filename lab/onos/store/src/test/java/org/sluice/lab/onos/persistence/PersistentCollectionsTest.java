// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.persistence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.onosproject.store.service.Serializer;

class PersistentCollectionsTest {

  private static final Serializer SERIALIZER = new TextSerializer();

  @TempDir Path directory;

  @Test
  void mapSurvivesAReopenedDatabase() {
    withDatabase(
        database -> {
          Map<String, String> map = map(database);
          assertNull(map.put("a", "1"));
          assertEquals("1", map.put("a", "2"));
          map.put("b", "3");
          assertEquals("3", map.remove("b"));
          return null;
        });
    withDatabase(
        database -> {
          assertEquals(Map.of("a", "2"), map(database));
          return null;
        });
  }

  @Test
  void setSurvivesAReopenedDatabase() {
    withDatabase(
        database -> {
          Set<String> set = set(database);
          assertTrue(set.add("x"));
          assertFalse(set.add("x"));
          set.add("y");
          assertTrue(set.remove("y"));
          return null;
        });
    withDatabase(
        database -> {
          assertEquals(Set.of("x"), set(database));
          return null;
        });
  }

  private static Map<String, String> map(DB database) {
    return new MapBuilder<String, String>(database)
        .withName("test")
        .withSerializer(SERIALIZER)
        .build();
  }

  private static Set<String> set(DB database) {
    return new SetBuilder<String>(database).withName("test").withSerializer(SERIALIZER).build();
  }

  private void withDatabase(Function<DB, Void> action) {
    DB database = DBMaker.newFileDB(directory.resolve("db").toFile()).make();
    try {
      action.apply(database);
      database.commit();
    } finally {
      database.close();
    }
  }

  /** Text stays text and a set's mark stays a truth value; Kryo would need an opened JDK. */
  private static final class TextSerializer implements Serializer {

    @Override
    public <T> byte[] encode(T object) {
      return object.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    @SuppressWarnings("unchecked") // The tests store nothing else.
    public <T> T decode(byte[] bytes) {
      String text = new String(bytes, StandardCharsets.UTF_8);
      return (T) ("true".equals(text) ? (Object) true : text);
    }

    @Override
    public <T> T copy(T object) {
      return decode(encode(object));
    }
  }
}
