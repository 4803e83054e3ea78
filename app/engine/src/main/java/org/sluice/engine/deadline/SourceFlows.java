// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/** What is counted of the flows of one source. */
final class SourceFlows {
  /** How many are in the table. */
  int flows;

  /** How many of them send and have a deadline. */
  int withDeadline;
}
