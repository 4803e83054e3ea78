// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How etcd is reached.
 *
 * @param endpoints of all its members, {@code http} or {@code https}
 * @param trust certificates in PEM that vouch for it; empty: those that Java trusts
 * @param certificate this node's, in PEM, where etcd demands one
 * @param key of the certificate, PKCS #8 in PEM
 * @param passwordFile has the user's password in its first line
 */
public record EtcdSettings(
    List<URI> endpoints,
    Optional<Path> trust,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<String> user,
    Optional<Path> passwordFile) {}
