package payments

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// Settings are names and values, such as GATEWAY_APP_ID.
type Settings map[string]string

// Each of these variables names a stack. Where one is set, .payments/dev.env is not read.
var namesAStack = []string{"TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "GATEWAY_APP_ID", "GATEWAY_APPS_FILE"}

// Environment is the settings of the environment, or where it names no stack, those of the stack that `payment-gateway dev` runs in
// this folder. It fails with a ConfigError for a file that others may read.
func Environment() (Settings, error) {
	settings := Settings{}
	for _, one := range os.Environ() {
		name, value, _ := strings.Cut(one, "=")
		settings[name] = value
	}
	if settings["NODE_ENV"] == "production" {
		return settings, nil
	}
	for _, name := range namesAStack {
		if settings[name] != "" {
			return settings, nil
		}
	}
	file, err := ownFile(".payments/dev.env")
	if errors.Is(err, fs.ErrNotExist) {
		return settings, nil
	}
	for line := range strings.Lines(string(file)) {
		name, value, isSet := strings.Cut(strings.TrimRight(line, "\n"), "=")
		if _, isOwn := settings[name]; isSet && !isOwn {
			settings[name] = unquoted(value)
		}
	}
	return settings, err
}

// Value is a setting, or what the file holds that `…_FILE` names; "" where neither is set. It fails with a ConfigError.
func (s Settings) Value(name string) (string, error) {
	value, file := s[name], s[name+"_FILE"]
	if file == "" {
		return value, nil
	}
	if value != "" {
		return "", &ConfigError{name + " and " + name + "_FILE are both set; keep one."}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", &ConfigError{name + "_FILE cannot be read: " + err.Error()}
	}
	return strings.TrimSpace(string(text)), nil
}

// ownFile is the text of a file of the user's own: in a folder of somebody else's, it could name their Temporal and their keys.
func ownFile(path string) ([]byte, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// What is looked at is what is read. Windows has no such modes.
	known, err := file.Stat()
	isOwn := err == nil && os.SameFile(named, known) && (known.Mode() == 0o600 || runtime.GOOS == "windows")
	if !isOwn {
		return nil, &ConfigError{path + " is not read: it must be a file of yours with mode 600, as npx payment-gateway dev makes it. " +
			"Run that here, or set TEMPORAL_ADDRESS and the other settings."}
	}
	return io.ReadAll(file)
}

// unquoted is a value as a shell reads it, whose quote within quotes is '\”.
func unquoted(word string) string {
	if len(word) > 1 && strings.HasPrefix(word, "'") && strings.HasSuffix(word, "'") {
		return strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	}
	return word
}

// LookupEnv and Environ are what Temporal's envconfig reads settings by.
func (s Settings) LookupEnv(name string) (string, bool) {
	value, isSet := s[name]
	return value, isSet
}

// Environ is each setting as NAME=value.
func (s Settings) Environ() []string {
	all := make([]string, 0, len(s))
	for name, value := range s {
		all = append(all, name+"="+value)
	}
	return all
}
