// SPDX-License-Identifier: Apache-2.0
/** What the engine counts about itself. */
package org.sluice.engine.statistics;
