/** Lists, sets and maps of ints and row numbers that allocate only when they grow. */
package org.sluice.engine.collections;
