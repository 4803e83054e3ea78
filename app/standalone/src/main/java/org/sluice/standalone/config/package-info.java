// SPDX-License-Identifier: Apache-2.0
/**
 * What an operator writes into files: read by schema, refused with line, field, value and remedy.
 */
package org.sluice.standalone.config;
