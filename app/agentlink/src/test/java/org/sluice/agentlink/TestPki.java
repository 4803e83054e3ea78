// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for one test run, and what it signs, as PEM files in a directory. */
final class TestPki {
  private static final AtomicLong SERIAL = new AtomicLong(1);

  /** A certificate and its key, as files. */
  static final class Identity {
    final Path certificate;
    final Path key;

    private Identity(Path certificate, Path key) {
      this.certificate = certificate;
      this.key = key;
    }
  }

  private final Path directory;
  private final X500Name name;
  private final KeyPair keys = newKeys();
  final Path authority;

  TestPki(Path directory, String name) {
    this.directory = directory;
    this.name = new X500Name("CN=" + name);
    this.authority = directory.resolve(name + ".pem");
    write(authority, "CERTIFICATE", sign(this.name, keys, true));
  }

  Identity server() {
    return issue("server", new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
  }

  Identity host(String host) {
    return issue(host, uri("sluice-host:" + host));
  }

  Identity issue(String subject, GeneralName... names) {
    KeyPair pair = newKeys();
    String file = subject + "-" + SERIAL.get();
    Path certificate = directory.resolve(file + ".pem");
    Path key = directory.resolve(file + ".key");
    write(certificate, "CERTIFICATE", sign(new X500Name("CN=" + subject), pair, false, names));
    write(key, "PRIVATE KEY", pair.getPrivate().getEncoded());
    return new Identity(certificate, key);
  }

  /** A file with the authority's list of these revoked certificates. */
  Path revocations(Identity... revoked) {
    Path file = directory.resolve("revoked-" + SERIAL.getAndIncrement() + ".pem");
    try {
      Date now = Date.from(Instant.now());
      JcaX509v2CRLBuilder builder =
          new JcaX509v2CRLBuilder(new X500Principal(name.getEncoded()), now);
      for (Identity each : revoked) {
        builder.addCRLEntry(certificate(each).getSerialNumber(), now, CRLReason.keyCompromise);
      }
      ContentSigner signer =
          new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
      write(file, "X509 CRL", builder.build(signer).getEncoded());
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException | OperatorCreationException e) {
      throw new IllegalStateException(e);
    }
  }

  Instant notAfter(Identity identity) {
    try {
      return certificate(identity).getNotAfter().toInstant();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static X509Certificate certificate(Identity identity)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(identity.certificate)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  static GeneralName uri(String uri) {
    return new GeneralName(GeneralName.uniformResourceIdentifier, uri);
  }

  private byte[] sign(X500Name subject, KeyPair pair, boolean authority, GeneralName... names) {
    try {
      Instant now = Instant.now();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              BigInteger.valueOf(SERIAL.getAndIncrement()),
              Date.from(now.minusSeconds(3600)),
              Date.from(now.plusSeconds(3600)),
              subject,
              pair.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
      if (names.length > 0) {
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
      }
      X509CertificateHolder signed =
          builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
      return signed.getEncoded();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (OperatorCreationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(Path file, String kind, byte[] content) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    try {
      Files.writeString(
          file, "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
