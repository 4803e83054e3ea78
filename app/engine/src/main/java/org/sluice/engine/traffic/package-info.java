/** What comes in: observations of hosts, endpoints and their addresses, and the life of pairs. */
package org.sluice.engine.traffic;
