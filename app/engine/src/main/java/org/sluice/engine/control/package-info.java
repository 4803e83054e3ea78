/** The ports under control, and what hosts and sources are sent about them. */
package org.sluice.engine.control;
