// SPDX-License-Identifier: Apache-2.0
/** What an operator wrote into the platform's own configuration, as JSON. */
package org.sluice.core.configuration;
