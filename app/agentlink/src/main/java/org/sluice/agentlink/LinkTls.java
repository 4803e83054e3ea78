// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.sluice.api.SluiceException;

/** Mutual TLS for the link: TLS 1.2 or 1.3, and no agent without a certificate that is trusted. */
final class LinkTls {
  private static final Pattern PKCS8 =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  private LinkTls() {}

  /**
   * Reads the files and sets up TLS.
   *
   * @throws SluiceException of kind INVALID naming the file at fault
   */
  static SslContext serverContext(AgentLinkConfig config) throws SluiceException {
    X509Certificate[] chain = certificates("certificateFile", config.certificateFile());
    X509Certificate[] trusted = certificates("trustFile", config.trustFile());
    PrivateKey key = privateKey(config.keyFile(), chain[0].getPublicKey());
    try {
      // Takes the OpenSSL that travels in the bundle where it runs on this machine, else the JDK's.
      return GrpcSslContexts.configure(SslContextBuilder.forServer(key, chain))
          .trustManager(trusted)
          .clientAuth(ClientAuth.REQUIRE)
          .protocols("TLSv1.3", "TLSv1.2")
          .build();
    } catch (SSLException e) {
      throw SluiceException.invalid(
          "certificateFile",
          config.certificateFile(),
          "TLS cannot be set up with this certificate: " + e.getMessage(),
          "Make new certificates with an EC or RSA key");
    }
  }

  /**
   * Reads the files, and checks that they can be used.
   *
   * @throws SluiceException of kind INVALID naming the file at fault
   */
  static LinkFiles files(AgentLinkConfig config) throws SluiceException {
    X509Certificate[] chain = certificates("certificateFile", config.certificateFile());
    X509Certificate[] trusted = certificates("trustFile", config.trustFile());
    PrivateKey key = privateKey(config.keyFile(), chain[0].getPublicKey());
    return LinkFiles.of(
        digest(Stream.concat(Stream.of(key.getEncoded()), Stream.of(chain).map(LinkTls::encoded))),
        Stream.of(trusted)
            .map(each -> digest(Stream.of(encoded(each))))
            .collect(Collectors.toSet()),
        ends(chain).min(Comparator.naturalOrder()).orElseThrow(),
        ends(trusted).max(Comparator.naturalOrder()).orElseThrow());
  }

  private static String digest(Stream<byte[]> parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      parts.forEach(digest::update);
      return Base64.getEncoder().encodeToString(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every JDK has it.
    }
  }

  private static byte[] encoded(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (CertificateException e) {
      throw new IllegalStateException(e); // It was parsed from its encoding.
    }
  }

  private static Stream<Instant> ends(X509Certificate[] certificates) {
    return Stream.of(certificates).map(each -> each.getNotAfter().toInstant());
  }

  static X509Certificate[] certificates(String field, Path file) throws SluiceException {
    byte[] content = content(field, file);
    try {
      X509Certificate[] found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content))
              .toArray(new X509Certificate[0]);
      if (found.length > 0) {
        return found;
      }
    } catch (CertificateException e) {
      // The refusal below names the remedy.
    }
    throw SluiceException.invalid(
        field, file, "There is no certificate in this file", "Give X.509 certificates in PEM");
  }

  /**
   * Also sees to it that it is the certificate's: TLS itself would only fail at every handshake.
   */
  private static PrivateKey privateKey(Path file, PublicKey certified) throws SluiceException {
    String text = new String(content("keyFile", file), StandardCharsets.US_ASCII);
    Matcher pem = PKCS8.matcher(text);
    try {
      if (pem.find()) {
        byte[] encoded = Base64.getMimeDecoder().decode(pem.group(1));
        PrivateKey key =
            KeyFactory.getInstance(certified.getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(encoded));
        if (belongTogether(key, certified)) {
          return key;
        }
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      // The refusal below names the remedy.
    }
    throw SluiceException.invalid(
        "keyFile",
        file,
        "There is no private key in this file that belongs to the certificate",
        "Give the key of that very certificate as PKCS#8 in PEM without a password, as 'openssl"
            + " pkcs8 -topk8 -nocrypt' writes it");
  }

  private static boolean belongTogether(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    String algorithm = "SHA256with" + ("EC".equals(key.getAlgorithm()) ? "ECDSA" : "RSA");
    byte[] sample = {1, 2, 3};
    Signature signer = Signature.getInstance(algorithm);
    signer.initSign(key);
    signer.update(sample);
    byte[] signature = signer.sign();
    Signature verifier = Signature.getInstance(algorithm);
    verifier.initVerify(certified);
    verifier.update(sample);
    return verifier.verify(signature);
  }

  static byte[] content(String field, Path file) throws SluiceException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw SluiceException.invalid(
          field,
          file,
          "There is no such file, or the controller may not read it",
          "Give the path of a PEM file that the controller's user may read");
    }
  }
}
