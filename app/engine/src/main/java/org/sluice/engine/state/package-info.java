// SPDX-License-Identifier: Apache-2.0
/**
 * The engine's tables: hosts, endpoints, addresses, ports, paths, pairs and crossings, as arrays by
 * row number that refer to each other's rows ({@link EngineState} has all of them).
 *
 * <p>Here live columns and how rows come, go and find each other; what is computed from them is
 * other rooms'. Columns are public: a tick reads them by the million and may not allocate.
 */
package org.sluice.engine.state;
