// SPDX-License-Identifier: Apache-2.0
/**
 * The controller's halves of the control laws: values in, decisions out, to be read beside the
 * papers and the pages in {@code docs/}. Hosts' halves are in the agent ({@code
 * host-agent/internal/law}) and in the simulator's shim; HyGenICC runs in hosts alone.
 *
 * <table>
 *   <caption>Which law is where</caption>
 *   <tr><th>Law</th><th>File</th></tr>
 *   <tr><td>Sluice's two time scales</td><td>{@link TwoTimeScaleLaw}, {@link Demand}</td></tr>
 *   <tr><td>Receive ceilings</td><td>{@link ReceiveCeiling}</td></tr>
 *   <tr><td>A tenant's ceiling over its hosts</td><td>{@link TenantCeilingLaw}</td></tr>
 *   <tr><td>Admission of guarantees</td><td>{@link GuaranteeAdmission}</td></tr>
 *   <tr><td>SDN-GCC, Algorithm 4</td><td>{@link SdnGccLaw}</td></tr>
 *   <tr><td>SED, section 3, as printed</td><td>{@link SedLaw}</td></tr>
 *   <tr><td>Sluice's allocation of windows after it</td><td>{@link EdfWindows}; what both have in
 *       common: {@link WindowAllocation}</td></tr>
 *   <tr><td>what Sluice adds to SED's port</td><td>{@link SedPort}, {@link WindowSlack},
 *       {@link BufferPlaces}, {@link CarriedPart}</td></tr>
 *   <tr><td>Admission of deadlines</td><td>{@link SedAdmission}, {@link ResidualCapacity}</td></tr>
 *   <tr><td>Rates of admitted flows beside shares</td><td>{@link PromisedRates}</td></tr>
 *   <tr><td>RSED, section 4</td><td>{@link RsedLaw}</td></tr>
 *   <tr><td>Micro-flow, Algorithm 1</td><td>{@link MicroFlowLaw}</td></tr>
 *   <tr><td>Sluice's caps beside Micro-flow's, in no paper</td><td>{@link FeederLaw},
 *       {@link CapFloor}</td></tr>
 *   <tr><td>OpenTCP</td><td>{@link OpenTcpLaw}</td></tr>
 *   <tr><td>DA-DCTCP, section 3.1</td><td>{@link DaDctcpLaw}, {@link RoundTripTrend}</td></tr>
 *   <tr><td>DA-DCTCP, section 3.2 and Algorithm 2</td><td>{@link ThresholdDivision}</td></tr>
 * </table>
 *
 * <p>A law depends on no table, clock or sink, and on no other package of the engine: it gets
 * numbers and arrays, or reads rows through small classes ({@link SedFlow}, {@link SedPort}) that
 * hold what it reads and its own intermediate values. What a law keeps about the network from tick
 * to tick is in the packages of tables.
 */
package org.sluice.engine.law;
