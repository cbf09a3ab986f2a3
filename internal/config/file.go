package config

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/compaction"
)

// overridesKey is the group under which an operator limits what sessions may set (spec 2.3).
const overridesKey = "limits.overrides."

// parseFile reads config.yaml: nested or dotted keys, no anchors, no key twice.
func parseFile(path string, body []byte) (layer, compaction.OverrideLimits, error) {
	var doc, second yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(string(body)))
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF): // nothing but comments
		return layer{}, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("%s is not valid YAML: %w", path, err)
	case !errors.Is(dec.Decode(&second), io.EOF):
		return nil, nil, fmt.Errorf("%s holds more than one document; keep one", path)
	}
	f := &fileReader{path: path, layer: make(layer), overrides: make(compaction.OverrideLimits)}
	if err := f.walk("", doc.Content[0]); err != nil {
		return nil, nil, err
	}
	return f.layer, f.overrides, f.checkOverrides()
}

// fileReader walks the tree of a file.
type fileReader struct {
	path      string
	layer     layer
	overrides compaction.OverrideLimits
	seen      map[string]int // line of each full key
}

func (f *fileReader) at(n *yaml.Node) source {
	return source{"file", fmt.Sprintf("%s line %d", f.path, n.Line)}
}

func (f *fileReader) walk(prefix string, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return f.mapping(prefix, n)
	case yaml.AliasNode:
		return fmt.Errorf("%s: write the value of *%s out; anchors are not supported", f.at(n).where, n.Value)
	}
	if prefix == "" {
		return fmt.Errorf("%s: the file must hold settings, as in \"compaction:\"", f.at(n).where)
	}
	key := strings.TrimSuffix(prefix, ".")
	v, err := f.value(n)
	if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(key, overridesKey); ok {
		return f.override(given{rest, v, f.at(n)})
	}
	if v == nil { // "compaction:" with everything below it commented out
		return nil
	}
	return f.layer.add(given{key, v, f.at(n)})
}

func (f *fileReader) mapping(prefix string, n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		full := prefix + key.Value
		if f.seen == nil {
			f.seen = make(map[string]int)
		}
		if line, twice := f.seen[full]; twice && value.Kind != yaml.MappingNode {
			return &Error{compaction.KnobError{Key: full, Allowed: fmt.Sprintf("stands on line %d too; keep one", line)}, f.at(key).String()}
		}
		f.seen[full] = key.Line
		if err := f.walk(full+".", value); err != nil {
			return err
		}
	}
	return nil
}

// value turns a node into what settings parse: bool, string for quoted and plain words, Untyped for numbers, so that an
// amount of money keeps its digits.
func (f *fileReader) value(n *yaml.Node) (any, error) {
	if n.Kind == yaml.SequenceNode {
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := f.value(item)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		b, err := strconv.ParseBool(strings.ToLower(n.Value))
		if err != nil {
			return n.Value, nil
		}
		return b, nil
	case "!!int":
		var i int64
		if err := n.Decode(&i); err == nil { // 30_000 and 0x10 are numbers in YAML
			return compaction.Untyped(strconv.FormatInt(i, 10)), nil
		}
		return compaction.Untyped(n.Value), nil
	case "!!float":
		return compaction.Untyped(n.Value), nil
	case "!!str":
		return n.Value, nil
	}
	return nil, fmt.Errorf("%s: %q is of a kind (%s) that no setting takes", f.at(n).where, clip(n.Value), n.Tag)
}

// clip keeps a value from filling an error message.
func clip(s string) string {
	const most = 120
	s = strings.Map(printable, s)
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func printable(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}
