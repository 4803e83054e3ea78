// SPDX-License-Identifier: Apache-2.0
/**
 * Lists, sets and maps of ints and row numbers, without boxes; they allocate only when they grow.
 */
package org.sluice.engine.collections;
