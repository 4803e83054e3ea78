/** Which port marked: what switches, port agents and hosts count, and whose count holds. */
package org.sluice.engine.marks;
