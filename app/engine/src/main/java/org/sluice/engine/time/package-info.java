/** Engine time, and how rates and sums fade with it. */
package org.sluice.engine.time;
