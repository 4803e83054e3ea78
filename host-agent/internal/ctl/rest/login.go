// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Variables of the environment.
const (
	ServerVariable       = "SLUICE_SERVER"
	PasswordFileVariable = "SLUICE_PASSWORD_FILE"
)

// Choices are the options of a command line that say which server is meant, and as whom.
type Choices struct {
	// File has what is not chosen; empty: the user's own, if there is one.
	File, Server, User, CA string
	// Terminal is where a password can be typed; empty: nowhere. Standard input may be a document.
	Terminal string
}

// settings are the keys of the file.
type settings struct {
	Server   string `yaml:"server"`
	User     string `yaml:"user"`
	Password string `yaml:"password"`
	CA       string `yaml:"ca"`
}

// DefaultFile is where the file is that nobody names.
func DefaultFile() (string, error) {
	directory, err := os.UserConfigDir()
	return filepath.Join(directory, "sluice", "sluicectl.yaml"), err
}

// Choose completes choices by the environment and the file, and reads a password from the terminal where there is none.
func Choose(ctx context.Context, choices Choices, prompt io.Writer) (Server, error) {
	read, err := readSettings(choices.File)
	if err != nil {
		return Server{}, Misuse{err}
	}
	server := Server{
		URL:  first(choices.Server, os.Getenv(ServerVariable), read.Server),
		User: first(choices.User, read.User),
		CA:   first(choices.CA, read.CA),
	}
	if server.URL == "" {
		return server, Misusef("no server: give --server URL, %s, or server in the configuration file", ServerVariable)
	}
	if server.User == "" {
		return server, Misusef("no user: give --user NAME, or user in the configuration file")
	}
	// The file's password is for the file's server and user alone.
	if read.User == server.User && (read.Server == "" || read.Server == server.URL) {
		server.Password = read.Password
	}
	if file := os.Getenv(PasswordFileVariable); file != "" {
		text, err := readPrivate(file)
		if err != nil {
			return server, Misusef("%s: %w", PasswordFileVariable, err)
		}
		server.Password = strings.TrimRight(string(text), "\r\n")
	}
	if server.Password == "" {
		return typed(ctx, server, choices.Terminal, prompt)
	}
	return server, nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func readSettings(file string) (settings, error) {
	var read settings
	named := file != ""
	if !named {
		var err error
		if file, err = DefaultFile(); err != nil {
			return read, nil // no home, and so no file
		}
	}
	text, err := readPrivate(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return read, nil
	}
	if err != nil {
		return read, err
	}
	if len(strings.TrimSpace(string(text))) == 0 {
		return read, nil
	}
	if err := yaml.Load(text, &read, yaml.WithKnownFields()); err != nil {
		return read, fmt.Errorf("%s: %w; its keys are server, user, password, ca", file, err)
	}
	return read, nil
}

// readPrivate reads a file that others than its owner cannot; of a pipe that is nobody's concern.
func readPrivate(file string) ([]byte, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	about, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	if mode := about.Mode(); mode.IsRegular() && mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s has the mode %04o, so that others may read or write a password: run chmod 600 %[1]s", file, mode.Perm())
	}
	return io.ReadAll(opened)
}

func typed(ctx context.Context, server Server, on string, prompt io.Writer) (Server, error) {
	terminal, err := os.OpenFile(on, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return server, Misusef("no password of %s for %s, and no terminal to type it: give %s, or password in the configuration file",
			server.User, server.URL, PasswordFileVariable)
	}
	defer terminal.Close()
	fmt.Fprintf(prompt, "Password of %s at %s: ", server.User, server.URL)
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return server, Misuse{err}
	}
	read, failed := make(chan []byte, 1), make(chan error, 1)
	go func() {
		password, err := term.ReadPassword(fd)
		if err != nil {
			failed <- err
			return
		}
		read <- password
	}()
	select {
	case password := <-read:
		server.Password = string(password)
	case err = <-failed:
	case <-ctx.Done(): // nothing ends the reading, which has switched the echo off
		err = errors.Join(ctx.Err(), term.Restore(fd, before))
	}
	fmt.Fprintln(prompt)
	if err != nil {
		return server, Misuse{err}
	}
	return server, nil
}
