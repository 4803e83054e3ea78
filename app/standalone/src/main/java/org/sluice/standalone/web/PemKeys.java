// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.standalone.config.ConfigurationException;

/** A certificate and its key, of PEM files. */
final class PemKeys {
  /** Of the key store, which lives in memory alone. */
  static final String PASSWORD = "";

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final String[] ALGORITHMS = {"EC", "RSA", "Ed25519"};

  private PemKeys() {}

  /**
   * Reads them.
   *
   * @throws ConfigurationException if one cannot be used, or they do not belong together
   */
  static KeyStore read(Path certificate, Path key) throws ConfigurationException {
    try {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificate)))
              .toArray(new Certificate[0]);
      if (chain.length == 0) {
        throw new ConfigurationException(
            certificate + ": there is no certificate in it; use a PEM file");
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("web", privateKey(key), PASSWORD.toCharArray(), chain);
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new ConfigurationException(
          certificate + ", " + key + ": " + e + "; use PEM files of a certificate and its key");
    }
  }

  private static PrivateKey privateKey(Path file) throws IOException, ConfigurationException {
    Matcher matcher = KEY.matcher(Files.readString(file));
    if (matcher.find()) {
      PKCS8EncodedKeySpec spec =
          new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
      for (String algorithm : ALGORITHMS) {
        try {
          return KeyFactory.getInstance(algorithm).generatePrivate(spec);
        } catch (GeneralSecurityException e) {
          // Another algorithm's.
        }
      }
    }
    throw new ConfigurationException(
        file + ": there is no key of PKCS #8 in it; openssl pkcs8 -topk8 -nocrypt -in " + file);
  }
}
