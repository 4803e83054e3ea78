// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.SteadyClock;
import org.sluice.api.BandwidthService;
import org.sluice.core.Controller;
import org.sluice.core.link.LinkRunner;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.core.sampling.SflowSampleCollector;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Topics;
import org.sluice.forwarding.NodeSettings;
import org.sluice.standalone.config.Configuration;
import org.sluice.standalone.config.ConfigurationException;
import org.sluice.standalone.config.FabricLayout;
import org.sluice.standalone.etcd.EtcdCluster;
import org.sluice.standalone.kubernetes.BandwidthController;
import org.sluice.standalone.platform.Cluster;
import org.sluice.standalone.platform.Fabric;
import org.sluice.standalone.platform.StandaloneDiagnosis;
import org.sluice.standalone.platform.StandalonePlatform;
import org.sluice.standalone.store.FileStorage;
import org.sluice.standalone.store.SoleNode;
import org.sluice.standalone.web.WebServer;

/**
 * A node: its store, its controller, and what it serves. Follows its files while it runs; what is
 * wrong in one of them leaves what was read last in force.
 */
public final class Daemon implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Daemon.class);
  private static final long LOOK_SECONDS = 2;

  private final SystemExecution execution = new SystemExecution();
  private final NodeSettings node = new NodeSettings(execution);

  /** What is to be ended, in this order. */
  private final Deque<Runnable> started = new ArrayDeque<>();

  private final Fabric fabric;
  private final StandalonePlatform platform;
  private final StandaloneDiagnosis diagnosis;
  private final WebServer web;
  private final ScheduledExecutorService files = execution.sequential("files");

  // The thread that looks at files only:
  private Configuration configuration;
  private Optional<FabricLayout> layout;
  private String lastFault = "";

  /**
   * A node that runs.
   *
   * @throws ConfigurationException if a file that the configuration names cannot be used
   * @throws IOException if the data directory or an address cannot be had
   */
  public static Daemon start(Configuration configuration)
      throws ConfigurationException, IOException {
    return new Daemon(configuration);
  }

  private Daemon(Configuration configuration) throws ConfigurationException, IOException {
    this.configuration = configuration;
    try {
      layout = layout(configuration);
      node.begin(name -> text(configuration, name));
      Cluster cluster = cluster();
      started.push(cluster.close());
      fabric = new Fabric(cluster, layout, execution);
      diagnosis = new StandaloneDiagnosis(fabric, configuration.file());
      platform = new StandalonePlatform(cluster, fabric, configuration.receiversMark(), diagnosis);
      platform.written().begin(configuration.network());
      Controller controller =
          new Controller(
              platform,
              node.settings(),
              node.journal(),
              execution,
              SteadyClock::millis,
              LinkRunner.overTheNetwork(platform),
              (port, listener) -> {
                throw new IllegalStateException("no switch is awaited");
              },
              SflowSampleCollector::start);
      fabric.start(controller.link(), controller.reportedEndpoints());
      started.push(fabric::stop);
      controller.start();
      started.push(controller::stop);
      Map<Class<?>, Object> services = controller.services();
      if (configuration.kubernetes().isPresent()) {
        BandwidthController bandwidths =
            new BandwidthController(
                configuration.kubernetes().get(),
                controller.tenants(),
                controller.endpoints(),
                () -> cluster.leadership().isLocal(Topics.CLUSTER),
                execution.sequential("kubernetes"));
        started.push(bandwidths::close);
        diagnosis.setKubernetes(bandwidths::finding);
        services.put(BandwidthService.class, bandwidths);
      }
      web = new WebServer(configuration, services);
      web.start();
      started.push(web::close);
      files.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, SECONDS);
      log.info("Serving REST and the page at {}", web.addresses());
    } catch (ConfigurationException | IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private Cluster cluster() throws IOException {
    if (configuration.etcd().isPresent()) {
      EtcdCluster etcd =
          new EtcdCluster(configuration.etcd().get(), configuration.node(), execution);
      return new Cluster(etcd, etcd, etcd.leadership(), etcd::close);
    }
    Path directory = configuration.dataDirectory();
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new IOException(
          "dataDirectory: '" + directory + "' cannot be made: " + e + "; make it, or use another",
          e);
    }
    SoleNode sole = new SoleNode(configuration.node());
    FileStorage storage = FileStorage.open(directory);
    return new Cluster(sole, storage, sole, () -> close(storage));
  }

  private static void close(FileStorage storage) {
    try {
      storage.close();
    } catch (IOException e) {
      log.warn("The store was not closed as it should; nothing acknowledged is lost", e);
    }
  }

  private static Optional<FabricLayout> layout(Configuration configuration)
      throws ConfigurationException {
    Optional<Path> file = configuration.topology();
    return file.isPresent() ? Optional.of(FabricLayout.read(file.get())) : Optional.empty();
  }

  /** A setting that was taken out of the file has its default again. */
  private static String text(Configuration configuration, String name) {
    if (name.equals(SettingTable.FORWARDING.name())) {
      return "other";
    }
    String written = configuration.settings().get(name);
    return written != null
        ? written
        : SettingTable.all().stream()
            .filter(setting -> setting.name().equals(name))
            .findFirst()
            .map(Daemon::usual)
            .orElseThrow();
  }

  private static String usual(Setting<?> setting) {
    return setting.write(setting.defaultValue());
  }

  /** Where REST and the page are served. */
  List<InetSocketAddress> webAddresses() {
    return web.addresses();
  }

  /** Reads files at once that may have changed. From any thread. */
  void reload() {
    files.execute(
        () -> {
          look();
          log.info("Files were read again: SIGHUP");
        });
  }

  private void look() {
    List<String> faults = new ArrayList<>();
    attempt(faults, this::followConfiguration);
    attempt(faults, this::followTopology);
    attempt(faults, web::refresh);
    String fault = String.join("\n", faults);
    if (!fault.equals(lastFault)) {
      lastFault = fault;
      diagnosis.setFileFault(fault);
      if (!fault.isEmpty()) {
        log.error("What was read last stays in force: {}", fault);
      }
    }
  }

  /** Reads a file again. */
  private interface Reading {
    void run() throws ConfigurationException;
  }

  private static void attempt(List<String> faults, Reading reading) {
    try {
      reading.run();
    } catch (ConfigurationException e) {
      faults.addAll(e.problems());
    } catch (RuntimeException e) {
      log.error("A file could not be followed; retrying in some seconds", e);
    }
  }

  private void followConfiguration() throws ConfigurationException {
    Configuration now = Configuration.read(configuration.file());
    if (!now.settings().equals(configuration.settings())) {
      node.change(name -> text(now, name));
    }
    if (!now.networkSource().equals(configuration.networkSource())) {
      platform.written().write(now.network());
    }
    List<String> fixed = now.fixedFieldsThatDifferFrom(configuration);
    if (!fixed.isEmpty()) {
      log.warn("These take effect with a restart (systemctl restart sluiced): {}", fixed);
    }
    configuration = now;
  }

  private void followTopology() throws ConfigurationException {
    Optional<FabricLayout> now = layout(configuration);
    if (!now.equals(layout)) {
      layout = now;
      fabric.rewire(now);
      log.info("The topology file is read");
    }
  }

  @Override
  public void close() {
    files.shutdownNow();
    while (!started.isEmpty()) {
      started.pop().run();
    }
  }
}
