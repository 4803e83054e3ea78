/** What the engine counts about itself. */
package org.sluice.engine.statistics;
