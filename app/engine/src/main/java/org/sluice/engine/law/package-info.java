/**
 * The control laws: values in, decisions out. They know no table, and each other only where one
 * builds on the other.
 */
package org.sluice.engine.law;
