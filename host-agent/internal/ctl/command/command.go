// SPDX-License-Identifier: Apache-2.0

// Package command has sluicectl's commands.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/document"
	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
	"github.com/sluice-sdn/sluice/host-agent/internal/manpage"
)

// Exit codes.
const (
	exitFailure     = 1 // findings, or something else than the following
	exitUsage       = 2
	exitUnreachable = 3
	exitRefused     = 4
)

// exitStatus says so in manual pages.
var exitStatus = fmt.Sprintf(`.SH EXIT STATUS
.TP
0
Done.
.TP
%d
There are errors or warnings (doctor, status), or something failed that is none of the following.
.TP
%d
The arguments, the configuration file or a document are wrong: doing the same again cannot help.
.TP
%d
The controller was not reached, or does not serve now: the same may succeed later.
.TP
%d
The controller refused it, and changed nothing.
`, exitFailure, exitUsage, exitUnreachable, exitRefused)

// errFindings: what was shown has errors or warnings.
var errFindings = errors.New("there are errors or warnings")

// session is one call of the program.
type session struct {
	version string
	choices rest.Choices
	output  string
	timeout time.Duration
	out     io.Writer
	errOut  io.Writer
	client  *rest.Client
	server  rest.Server
}

// Streams are those of the program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Terminal is the file of the terminal; empty: there is none.
	Terminal string
}

// plain keeps what a server sends from controlling the terminal.
type plain struct{ io.Writer }

func (p plain) Write(text []byte) (int, error) {
	_, err := p.Writer.Write(bytes.Map(func(letter rune) rune {
		if unicode.IsControl(letter) && letter != '\n' {
			return ' '
		}
		return letter
	}, text))
	return len(text), err
}

// Run carries out a command line, reports its error, and returns the exit code.
func Run(ctx context.Context, version string, arguments []string, streams Streams) int {
	s := &session{version: version, out: plain{streams.Out}, errOut: plain{streams.Err}, choices: rest.Choices{Terminal: streams.Terminal}}
	root := s.root()
	root.SetArgs(arguments)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code := exitCode(err)
	if !errors.Is(err, errFindings) {
		s.report(err, code)
	}
	return code
}

func exitCode(err error) int {
	var misuse rest.Misuse
	var unreachable rest.Unreachable
	var problem *rest.Problem
	switch {
	case errors.As(err, &misuse):
		return exitUsage
	case errors.As(err, &unreachable):
		return exitUnreachable
	case errors.As(err, &problem):
		if problem.Temporary() {
			return exitUnreachable
		}
		if problem.Status < 500 {
			return exitRefused
		}
	}
	return exitFailure
}

func (s *session) report(err error, code int) {
	var problem *rest.Problem
	if !errors.As(err, &problem) {
		kind := map[int]string{exitUsage: "usage", exitUnreachable: "unreachable", exitFailure: "failed"}[code]
		problem = &rest.Problem{Type: "urn:sluice:sluicectl:" + kind, Title: kind, Detail: err.Error()}
	}
	if s.output != "json" {
		fmt.Fprintln(s.errOut, "sluicectl:", err)
		switch { // remedies name what other clients do
		case strings.Contains(problem.Error(), rest.AllowRefusedAddresses):
			fmt.Fprintln(s.errOut, "  with sluicectl: --confirm")
		case problem.Status == http.StatusPreconditionFailed:
			fmt.Fprintln(s.errOut, "  with sluicectl: give the command again, which reads it again")
		}
		return
	}
	text := problem.Raw
	if text == nil {
		text, _ = json.Marshal(problem) // of strings
	}
	_ = indent(s.errOut, text)
}

func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sluicectl",
		Short: "Shows and changes what Sluice's controller has, by its REST interface",
		Long: `Shows and changes what Sluice's controller has, by its REST interface.

The server is that of --server, else of SLUICE_SERVER, else of the configuration file, whose keys are server, user,
password and ca. The password is in the file that SLUICE_PASSWORD_FILE names, else in the configuration file, else the
terminal is asked for it. Nobody but their owner may have access to these files.`,
		Version:       s.version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          arguments("COMMAND"),
		RunE:          missing,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if s.output != "table" && s.output != "json" && s.output != "yaml" {
				return rest.Misusef("output %q: give table, json or yaml", s.output)
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return rest.Misuse{Err: err} })
	flags := root.PersistentFlags()
	flags.StringVar(&s.choices.Server, "server", "", "URL of the controller, such as https://192.0.2.10:8443; its path /onos/sluice/v1 or /sluice/v1 is found")
	flags.StringVar(&s.choices.User, "user", "", "user of the controller")
	flags.StringVar(&s.choices.CA, "ca", "", "file with the certificates of authorities (PEM) instead of the system's")
	flags.StringVar(&s.choices.File, "config", "", "configuration file instead of ~/.config/sluice/sluicectl.yaml")
	flags.StringVarP(&s.output, "output", "o", "table", "table, json or yaml")
	flags.DurationVar(&s.timeout, "timeout", 30*time.Second, "how long to wait for an answer")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(s.getCommand(), s.setCommand(), s.createCommand(), s.applyCommand(), s.deleteCommand(), s.rollbackCommand(),
		s.whyCommand(), s.doctorCommand(), s.statusCommand(), s.watchCommand(), s.versionCommand(), s.manCommand())
	return root
}

// missing is what a command does that only has others below it.
func missing(command *cobra.Command, _ []string) error {
	return rest.Misusef("%s: give one of %s", command.CommandPath(), below(command))
}

func below(command *cobra.Command) string {
	var names []string
	for _, each := range command.Commands() {
		if each.IsAvailableCommand() {
			names = append(names, each.Name())
		}
	}
	return strings.Join(names, ", ")
}

// arguments are those of a command by name; [NAME] may be missing. Of one with others below it, any is unknown.
func arguments(names ...string) cobra.PositionalArgs {
	least := 0
	for _, name := range names {
		if !strings.HasPrefix(name, "[") {
			least++
		}
	}
	return func(command *cobra.Command, given []string) error {
		if command.HasSubCommands() {
			if len(given) > 0 {
				return rest.Misusef("%s: %q is unknown: give one of %s", command.CommandPath(), given[0], below(command))
			}
			return nil
		}
		if len(given) < least || len(given) > len(names) {
			return rest.Misusef("%s takes %s, not %d arguments", command.CommandPath(),
				first(strings.Join(names, " "), "no arguments"), len(given))
		}
		return nil
	}
}

func first(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

func (s *session) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, s.version)
			return err
		},
	}
}

func (s *session) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIRECTORY", Short: "Write the manual pages below a directory", Hidden: true, Args: arguments("DIRECTORY"),
		RunE: func(command *cobra.Command, given []string) error {
			return manpage.WriteCommands(command.Root(), "1", s.version, exitStatus, given[0])
		},
	}
}

// connected is the client; it is made with the first request of a command.
func (s *session) connected(ctx context.Context) (*rest.Client, error) {
	if s.client != nil {
		return s.client, nil
	}
	server, err := rest.Choose(ctx, s.choices, s.errOut)
	if err != nil {
		return nil, err
	}
	server.Timeout = s.timeout
	server.Agent = "sluicectl/" + s.version
	s.server = server
	s.client, err = rest.NewClient(server)
	if err != nil {
		return nil, err
	}
	var once sync.Once
	s.client.CutOff = func(reason string) {
		once.Do(func() {
			fmt.Fprintf(s.errOut, "sluicectl: warning: the cluster's store does not answer this node; what it shows is what it read last: %s\n", reason)
		})
	}
	return s.client, nil
}

func (s *session) do(ctx context.Context, request rest.Request) (rest.Response, error) {
	client, err := s.connected(ctx)
	if err != nil {
		return rest.Response{}, err
	}
	return client.Do(ctx, request)
}

// read gets an object.
func (s *session) read(ctx context.Context, path string) (map[string]any, rest.Response, error) {
	answer, err := s.do(ctx, rest.Request{Method: "GET", Path: path})
	if err != nil {
		return nil, answer, err
	}
	object, err := document.Object(answer.Body)
	return object, answer, err
}

// show prints what was answered: as it is, or by a function for people.
func (s *session) show(body []byte, forPeople func() error) error {
	switch s.output {
	case "json":
		return indent(s.out, body)
	case "yaml":
		text, err := document.YAML(body)
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	}
	return forPeople()
}

func (s *session) sayf(format string, values ...any) error {
	_, err := fmt.Fprintf(s.out, format+"\n", values...)
	return err
}
