// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone;

import java.io.Console;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.sluice.standalone.config.Configuration;
import org.sluice.standalone.config.ConfigurationException;
import org.sluice.standalone.config.FabricLayout;
import org.sluice.standalone.web.UsersFile;
import org.sluice.standalone.web.WebServer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** The program. */
@Command(
    name = "sluiced",
    description = "Sluice's controller without an SDN controller: agents connect to it.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {Main.Run.class, Main.WarmUp.class, Main.Config.class, Main.Users.class})
public final class Main {
  private static final int FAULT = 1;

  /** As with the agent: it is not worth starting again. */
  private static final int BAD_CONFIGURATION = 2;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      defaultValue = Configuration.USUAL_FILE,
      description = "the configuration (default: ${DEFAULT-VALUE})")
  Path file;

  private Main() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  static int run(String... args) {
    return new CommandLine(new Main())
        .setExecutionExceptionHandler((e, command, parsed) -> complain(e))
        .execute(args);
  }

  private static int complain(Exception e) throws Exception {
    if (e instanceof ConfigurationException || e instanceof IllegalArgumentException) {
      System.err.println("sluiced: " + e.getMessage());
      return BAD_CONFIGURATION;
    }
    if (e instanceof IOException) {
      System.err.println("sluiced: " + e.getMessage());
      return FAULT;
    }
    throw e;
  }

  /** What it is. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {
        ResourceBundle.getBundle("org.sluice.forwarding.version").getString("version")
      };
    }
  }

  @Command(
      name = "run",
      description = "Run until a signal ends it; SIGHUP has it read its files again.")
  static final class Run implements Callable<Integer> {
    @CommandLine.ParentCommand Main main;

    @Override
    public Integer call() throws Exception {
      CompletableFuture<Daemon> started = new CompletableFuture<>();
      atHangUp(() -> started.thenAccept(Daemon::reload));
      Daemon daemon = Daemon.start(Configuration.read(main.file));
      started.complete(daemon);
      CountDownLatch ended = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    daemon.close();
                    ended.countDown();
                  },
                  "sluice-end"));
      ended.await();
      return 0;
    }

    /** By reflection: the JDK has no other way to a signal, and the compiler warns of this one. */
    private static void atHangUp(Runnable task) throws ReflectiveOperationException {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object runsTask =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                task.run();
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), runsTask);
    }
  }

  @Command(
      name = "warm-up",
      hidden = true,
      description = "Start once on nothing and end: Java archives the classes meanwhile.")
  static final class WarmUp implements Callable<Integer> {
    @Override
    public Integer call() throws IOException, ConfigurationException {
      Path directory = Files.createTempDirectory("sluiced");
      try {
        Path file = directory.resolve("sluiced.yaml");
        Files.writeString(file, "dataDirectory: data\nweb: {listen: [\"http://127.0.0.1:0\"]}\n");
        Daemon.start(Configuration.read(file)).close();
      } finally {
        try (Stream<Path> all = Files.walk(directory)) {
          for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(each);
          }
        }
      }
      return 0;
    }
  }

  @Command(
      name = "config",
      description = "The configuration.",
      mixinStandardHelpOptions = true,
      subcommands = Config.Check.class)
  static final class Config {
    @CommandLine.ParentCommand Main main;

    @Command(name = "check", description = "Say what is wrong with it, with line and remedy.")
    static final class Check implements Callable<Integer> {
      @CommandLine.ParentCommand Config config;

      @Override
      public Integer call() throws ConfigurationException {
        Configuration read = Configuration.read(config.main.file);
        if (read.topology().isPresent()) {
          FabricLayout.read(read.topology().get());
        }
        WebServer.check(read);
        System.out.println(config.main.file + " can be used");
        return 0;
      }
    }
  }

  @Command(
      name = "users",
      description = "Who may log in.",
      mixinStandardHelpOptions = true,
      subcommands = Users.Add.class)
  static final class Users {
    @CommandLine.ParentCommand Main main;

    @Command(
        name = "add",
        description = {
          "Add a user, or give one another password and other roles.",
          "The password is asked for, or read from standard input."
        })
    static final class Add implements Callable<Integer> {
      @CommandLine.ParentCommand Users users;

      @Parameters(paramLabel = "NAME")
      String name;

      @Option(
          names = "--role",
          required = true,
          split = ",",
          paramLabel = "ROLE",
          description = "admin, viewer, sluice-tenant, sluice-tenant-NAME or sluice-deadlines")
      List<String> roles;

      @Override
      public Integer call() throws IOException, ConfigurationException {
        Path file = Configuration.read(users.main.file).users();
        char[] password = password();
        try {
          UsersFile.add(file, name, new LinkedHashSet<>(roles), password);
        } finally {
          Arrays.fill(password, '\0');
        }
        System.out.println(name + " stands in " + file);
        return 0;
      }

      private static char[] password() throws IOException {
        Optional<Console> console = Optional.ofNullable(System.console());
        char[] password =
            console.isPresent()
                ? console.get().readPassword("Password: ")
                : firstLine(new String(System.in.readAllBytes(), StandardCharsets.UTF_8));
        if (password == null || password.length == 0) {
          throw new IllegalArgumentException("password: it is empty; type one, or pipe one in");
        }
        return password;
      }

      private static char[] firstLine(String text) {
        return text.lines().findFirst().orElse("").toCharArray();
      }
    }
  }
}
