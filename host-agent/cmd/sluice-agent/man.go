// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/manpage"
)

const (
	commandSection       = "8"
	configurationSection = "5"
)

// exitStatus is the same for all commands.
var exitStatus = fmt.Sprintf(`.SH EXIT STATUS
.TP
0
Done.
.TP
%d
It failed, or what was asked for does not hold.
.TP
%d
The arguments or the configuration are wrong: doing the same again cannot help.
.TP
%d
Of status alone: something is not enforced that should be.
`, exitFailure, exitUsage, exitNotEnforced)

// configurationPages are made of pages of the documentation.
var configurationPages = []struct{ name, what, document, from, until string }{
	{"agent.yaml", "configuration of sluice-agent run", "agent-configuration.md", "\n# ", ""},
	{"port.yaml", "configuration of sluice-agent port", "port-agent.md", "\n### Keys\n", "\n## "},
}

// manCommand writes a manual page for each command and each configuration file, for packages.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY DOCS",
		Short:  "Write the manual pages below a directory, those of configuration files from the documentation in another",
		Hidden: true,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 2 {
				return usageError{fmt.Errorf("man takes two directories, not %d arguments", len(arguments))}
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := manpage.WriteCommands(command.Root(), commandSection, version, exitStatus, arguments[0]); err != nil {
				return err
			}
			return writeConfigurationPages(arguments[0], arguments[1])
		},
	}
}

func writeConfigurationPages(directory, documents string) error {
	for _, page := range configurationPages {
		text, err := os.ReadFile(filepath.Join(documents, page.document))
		if err != nil {
			return err
		}
		_, body, found := strings.Cut(string(text), page.from)
		if !found {
			return fmt.Errorf("%s has no heading %q", page.document, page.from)
		}
		if page.until != "" {
			body, _, _ = strings.Cut(body, page.until)
		} else {
			_, body, _ = strings.Cut(body, "\n") // the title
		}
		markdown := fmt.Sprintf("%% %[1]q %[2]s \"\" %[3]q %[4]q\n\n# NAME\n\n%[1]s - %[5]s\n\n# DESCRIPTION\n\n%[6]s\n\n# SEE ALSO\n\n**sluice-agent(%[7]s)**\n",
			page.name, configurationSection, "Sluice "+version, "Sluice", page.what, plainMarkdown(body), commandSection)
		if err := manpage.Write(directory, page.name, configurationSection, string(md2man.Render([]byte(markdown)))); err != nil {
			return err
		}
	}
	return nil
}

var (
	localLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	separator = regexp.MustCompile(`^\|[ |-]*\|$`)
)

// plainMarkdown has no links into the documentation, and a list of terms for each table, whose cells are too long for
// a terminal's columns.
func plainMarkdown(text string) string {
	var out strings.Builder
	var heads []string // of the columns; nil: in no table
	for line := range strings.Lines(localLink.ReplaceAllString(text, "$1")) {
		row := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(row, "|"):
			heads = nil
			out.WriteString(line)
		case heads == nil:
			heads = cells(row)
		case !separator.MatchString(row):
			writeTerm(&out, heads, cells(row))
		}
	}
	return out.String()
}

func cells(row string) []string { return strings.Split(strings.Trim(row, "| "), " | ") }

// writeTerm writes a row of a table: its last column explains its first, those between are named.
func writeTerm(out *strings.Builder, heads, row []string) {
	fmt.Fprintf(out, "\n%s\n: ", row[0])
	for i := 1; i < len(row)-1; i++ {
		fmt.Fprintf(out, "%s: %s. ", heads[i], row[i])
	}
	fmt.Fprintf(out, "%s\n\n", row[len(row)-1])
}
