// SPDX-License-Identifier: Apache-2.0
/**
 * What was decided, with the evidence, as an operator reads it.
 *
 * <p>Here live the journal and what words the engine's entries in it; no room depends on this one.
 */
package org.sluice.engine.journal;
