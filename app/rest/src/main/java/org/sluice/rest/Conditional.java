// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.ws.rs.core.EntityTag;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.Response;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;

/**
 * What a request takes a resource to be: its If-Match and If-None-Match (RFC 9110, section 13).
 * Read at once, for a change is decided on other threads.
 */
final class Conditional {
  private static final String ANY = "*";
  private static final Pattern TAG =
      Pattern.compile("\\s*(W/)?\"([\\x21\\x23-\\x7e\\x80-\\xff]*)\"\\s*");

  private final Optional<Tags> match;
  private final Optional<Tags> noneMatch;

  /** The tags that one header lists; any where there is no list. */
  private static final class Tags {
    private final boolean any;
    private final List<EntityTag> listed;

    Tags(boolean any, List<EntityTag> listed) {
      this.any = any;
      this.listed = listed;
    }

    /** By the strong comparison: a weak tag is like no other. */
    boolean hasStrong(Optional<EntityTag> present) {
      return present.filter(tag -> any || listed.contains(tag)).isPresent();
    }

    /** By the weak comparison. */
    boolean hasWeak(Optional<EntityTag> present) {
      return present
          .filter(
              tag -> any || listed.stream().anyMatch(one -> one.getValue().equals(tag.getValue())))
          .isPresent();
    }
  }

  /**
   * The conditions of a request.
   *
   * @throws SluiceException of kind INVALID if a header lists no entity tags
   */
  Conditional(HttpHeaders headers) throws SluiceException {
    match = tags(headers, HttpHeaders.IF_MATCH);
    noneMatch = tags(headers, HttpHeaders.IF_NONE_MATCH);
  }

  private static Optional<Tags> tags(HttpHeaders headers, String name) throws SluiceException {
    String text = headers.getHeaderString(name);
    if (text == null) {
      return Optional.empty();
    }
    if (text.strip().equals(ANY)) {
      return Optional.of(new Tags(true, List.of()));
    }
    List<EntityTag> listed = new ArrayList<>();
    Matcher tag = TAG.matcher(text);
    int at = 0;
    while (at <= text.length() && tag.region(at, text.length()).lookingAt()) {
      listed.add(new EntityTag(tag.group(2), tag.group(1) != null));
      at = tag.end() + 1;
      if (tag.end() == text.length()) {
        return Optional.of(new Tags(false, listed));
      }
      if (text.charAt(tag.end()) != ',') {
        break;
      }
    }
    throw SluiceException.invalid(
        name, text, "This is not a list of entity tags", "Send the ETag as it was served, or *");
  }

  /**
   * What is read, with its tag; 304 without a body for those who have it already.
   *
   * @param entity made only if it is needed
   * @throws SluiceException of kind STALE if it is not what If-Match takes it to be
   */
  Response read(EntityTag tag, Supplier<?> entity) throws SluiceException {
    Optional<EntityTag> present = Optional.of(tag);
    if (match.isPresent() && !match.get().hasStrong(present)) {
      throw stale(present);
    }
    boolean isKnown = noneMatch.isPresent() && noneMatch.get().hasWeak(present);
    return (isKnown ? Response.notModified() : Response.ok(entity.get())).tag(tag).build();
  }

  /**
   * What a change is to meet; anything without conditions.
   *
   * @param tag of a thing that there is
   */
  <T> Expectation<T> expected(Function<T, EntityTag> tag) {
    return thing -> {
      Optional<EntityTag> present = thing.map(tag);
      boolean isStale =
          match.isPresent() && !match.get().hasStrong(present)
              || noneMatch.isPresent() && noneMatch.get().hasWeak(present);
      if (isStale) {
        throw stale(present);
      }
    };
  }

  private static SluiceException stale(Optional<EntityTag> present) {
    return new SluiceException(
        SluiceException.Kind.STALE,
        HttpHeaders.ETAG,
        present.map(tag -> '"' + tag.getValue() + '"').orElse(""),
        "It is not what If-Match or If-None-Match takes it to be",
        "Read it again, check whether the request still makes sense, and send its ETag");
  }
}
