// SPDX-License-Identifier: Apache-2.0
/** Sluice's commands for ONOS's shell, on the services of {@code org.sluice.api} alone. */
package org.sluice.cli;
