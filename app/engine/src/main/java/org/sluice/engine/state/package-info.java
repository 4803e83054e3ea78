/** The engine's tables: arrays by row number that refer to each other's rows. */
package org.sluice.engine.state;
