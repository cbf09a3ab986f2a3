package archtest

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cases are the faults of real systems that this one must not have. Each has a test that carries its number in its name,
// TestCaseB07… or TestCaseD1_8…; one test may carry several. Numbers of the second list count through all its sections,
// so that a name may leave the section out: TestCaseD42.
var cases = map[string]string{
	"B": `01 03 04 06 07 09 10 12 13 15 16 21 22 24 25 27 28 30 31 33 34 36 37 39 40 42 43 45 46 48 49 51 52 54 55 60 61 63 64
		66 67 69 70 72 73 75 76 81 82 84 85 87 88 90 91 93 94 96 100 102 103 105 106 108 111 112 114 120 121 123 124 126 127
		129 130 141 142 144 145 147 148 150 151`,
	"D1": `1 2 4 5 6 8 9 10 12 13 14 16 17`,
	"D2": `18 20`,
	"D3": `21 22 24 25 26 28`,
	"D4": `29 30 32 33 34 36 37 38`,
	"D5": `40 41 42 44 45 46 48 49 50`,
	"D6": `52 53 54 56 57 58 60 61 62`,
	"D7": `64 65 66 68 69 70 72`,
}

// untested are the cases without a test under their number, with the reason. An entry that has got one is to be taken out.
var untested = map[string]string{
	"D3_21": "how many connections a browser opens is seen in a browser only",
	"D3_25": "nothing is compressed",
	"D3_28": "the wait before a reconnect is the browser's",
	"D4_37": "timers of a hidden tab are the browser's",
	"D4_38": "sleep and wake are the browser's",
	"D6_58": "there is no list by day yet",
	"D7_66": "rows of the handshake's table of tests",
	"D7_70": "nothing is compressed",
}

// named are the numbers that a test's name carries.
func named(test string) []string {
	var out []string
	_, list, ok := strings.Cut(test, "Case")
	for ok && list != "" {
		m := caseNumber.FindStringSubmatch(list)
		if m == nil {
			break
		}
		list = list[len(m[0]):]
		for _, n := range strings.Split(strings.Trim(m[2], "_"), "_") {
			out = append(out, numbered(m[1], n))
		}
	}
	return out
}

// caseNumber is one number, or several of one section: B07, D1_8_17, D42.
var caseNumber = regexp.MustCompile(`^_?(B|D\d_|D)(\d+(?:_\d+)*)`)

// numbered is a number with its section.
func numbered(section, n string) string {
	switch section {
	case "B":
		return "B" + n
	case "D":
		for s, list := range cases {
			if strings.HasPrefix(s, "D") && slices.Contains(strings.Fields(list), n) {
				return s + "_" + n
			}
		}
	}
	return strings.TrimSuffix(section, "_") + "_" + n
}

func TestNamed(t *testing.T) {
	for name, want := range map[string][]string{
		"TestCaseB07_StepsBack":                  {"B07"},
		"TestCaseB121_B123_TextAlone":            {"B121", "B123"},
		"TestCaseB10CancelAnswersOpenCalls":      {"B10"},
		"TestCaseD1_4_5_9_ReplayFromAPlace":      {"D1_4", "D1_5", "D1_9"},
		"TestCaseB141_D5_50_EveryCallIsCounted":  {"B141", "D5_50"},
		"TestCaseD42_WritesToADeletedSession":    {"D5_42"},
		"TestCaseD5_46_D5_48_GaugeIsTheLast":     {"D5_46", "D5_48"},
		"TestTurnIsStoredAndAnswered":            nil,
		"FuzzCaseB13_OpenCalls":                  {"B13"},
		"TestCaseB103_UndoWalksBack":             {"B103"},
		"TestCaseD4_32_Churn":                    {"D4_32"},
		"TestCaseD7_64_D7_65_NamesAndQueries":    {"D7_64", "D7_65"},
		"TestCaseB06_TwelveCallsInOneRow":        {"B06"},
		"TestCaseD1_1_12_ResumeSendsOnlyNewerAn": {"D1_1", "D1_12"},
	} {
		require.Equal(t, want, named(name), name)
	}
}

// TestEveryCaseHasATest walks the tree for tests by number.
func TestEveryCaseHasATest(t *testing.T) {
	have := make(map[string][]string)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != root):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return collect(path, have)
	})
	require.NoError(t, err)
	known := make(map[string]bool)
	for section, list := range cases {
		for _, n := range strings.Fields(list) {
			number := section + n
			if section != "B" {
				number = section + "_" + n
			}
			known[number] = true
			_, excused := untested[number]
			switch {
			case len(have[number]) == 0 && !excused:
				t.Errorf("case %s has no test", number)
			case len(have[number]) > 0 && excused:
				t.Logf("case %s is tested by %v: take it off the list of those without", number, have[number])
			}
		}
	}
	for number, tests := range have {
		require.True(t, known[number], "%v name the case %s, which is none", tests, number)
	}
}

// collect notes the tests of a file by the numbers in their names.
func collect(path string, have map[string][]string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := testFunc.FindStringSubmatch(lines.Text()); m != nil {
			for _, n := range named(m[1]) {
				have[n] = append(have[n], m[1])
			}
		}
	}
	return lines.Err()
}

var testFunc = regexp.MustCompile(`^func ((?:Test|Fuzz)\w+)\(`)
