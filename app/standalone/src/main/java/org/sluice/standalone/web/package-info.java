// SPDX-License-Identifier: Apache-2.0
/** REST and the page over HTTP: who may log in, by which certificate, and what is served where. */
package org.sluice.standalone.web;
