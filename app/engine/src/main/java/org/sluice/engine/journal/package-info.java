/** What was decided, with the evidence, in words. */
package org.sluice.engine.journal;
