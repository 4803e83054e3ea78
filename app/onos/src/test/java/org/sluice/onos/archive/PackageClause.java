// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.archive;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One package of an Import-Package or Export-Package header. */
final class PackageClause {
  private static final Pattern VERSION = Pattern.compile(";version=\"?([^\";]+)\"?");

  final String name;
  final String version;
  final boolean optional;

  private PackageClause(String text) {
    name = text.replaceAll(";.*", "");
    Matcher matcher = VERSION.matcher(text);
    version = matcher.find() ? matcher.group(1) : "0";
    optional = text.contains("resolution:=optional");
  }

  /** The packages of a header. */
  static List<PackageClause> parse(String header) {
    List<PackageClause> clauses = new ArrayList<>();
    StringBuilder clause = new StringBuilder();
    boolean quoted = false;
    for (char c : (header + ",").toCharArray()) {
      quoted ^= c == '"';
      if (c == ',' && !quoted) {
        add(clause.toString(), clauses);
        clause.setLength(0);
      } else {
        clause.append(c);
      }
    }
    return clauses;
  }

  /** A clause may name several packages before its attributes. */
  private static void add(String clause, List<PackageClause> to) {
    if (clause.isBlank()) {
      return;
    }
    List<String> names = new ArrayList<>();
    StringBuilder attributes = new StringBuilder();
    for (String part : clause.trim().split(";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")) {
      if (part.contains("=")) {
        attributes.append(';').append(part.trim());
      } else {
        names.add(part.trim());
      }
    }
    names.forEach(name -> to.add(new PackageClause(name + attributes)));
  }
}
