// SPDX-License-Identifier: Apache-2.0
/**
 * The control laws: values in, decisions out. One law, one file, to be read beside its paper.
 *
 * <table>
 *   <caption>Which law is where</caption>
 *   <tr><th>Law</th><th>File</th></tr>
 *   <tr><td>Sluice's two time scales</td><td>{@link TwoTimeScaleLaw}</td></tr>
 *   <tr><td>SDN-GCC, Algorithm 4</td><td>{@link SdnGccLaw}</td></tr>
 *   <tr><td>A tenant's ceiling over its hosts</td><td>{@link TenantCeilingLaw}</td></tr>
 *   <tr><td>Admission of guarantees</td><td>{@link GuaranteeAdmission}</td></tr>
 *   <tr><td>SED, Algorithm 2, as printed</td><td>{@link SedWindows}</td></tr>
 *   <tr><td>Sluice's allocation of windows after it</td><td>{@link EdfWindows}</td></tr>
 *   <tr><td>SED, equation 3 and figure 3: a port</td><td>{@link SedPort}</td></tr>
 *   <tr><td>Admission of deadlines</td><td>{@link SedAdmission}</td></tr>
 *   <tr><td>Rates of promised flows beside shares</td><td>{@link PromisedRates}</td></tr>
 *   <tr><td>RSED, section 4</td><td>{@link RsedLaw}</td></tr>
 *   <tr><td>Micro-flow, Algorithm 1</td><td>{@link MicroFlowLaw}</td></tr>
 *   <tr><td>none: Sluice's caps beside Micro-flow's</td><td>{@link FeederLaw}</td></tr>
 * </table>
 *
 * <p>A law knows no table, clock or sink, and no other room: it takes numbers and arrays, or sees
 * rows through small abstract classes ({@link SedFlow}, {@link SedPort}) that carry nothing but
 * what it reads and its own intermediate values. A new law goes here; what it has to remember of
 * the network goes into a room of tables.
 */
package org.sluice.engine.law;
