package compaction

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// samples are a few sentences in each language that the gate tells apart.
var samples = map[string]string{
	"en": "The user wants the importer to read rows one by one, and it should not load the whole file. It is done and the tests are green.",
	"de": "Der Nutzer möchte, dass der Import die Zeilen einzeln liest und nicht die ganze Datei lädt. Das ist erledigt und die Tests sind grün.",
	"fr": "L'utilisateur veut que l'import lise les lignes une par une et ne charge pas tout le fichier. C'est fait et les tests sont bons.",
	"es": "El usuario quiere que la importación lea las filas una por una y que no cargue todo el archivo. Ya está hecho y las pruebas pasan.",
	"pt": "O usuário quer que a importação leia as linhas uma por uma e não carregue o arquivo inteiro. Isso já está feito e os testes passam.",
	"it": "L'utente vuole che l'importazione legga le righe una per una e non carichi il file intero. Questo è fatto e anche i test sono verdi.",
	"nl": "De gebruiker wil dat de import de regels een voor een leest en niet het hele bestand laadt. Dat is gedaan en ook de tests zijn goed.",
	"zh": "用户希望导入程序逐行读取数据，而不是一次性加载整个文件。这项工作已经完成，所有测试都通过了。",
	"ja": "ユーザーはインポーターが行を一つずつ読み込み、ファイル全体を読み込まないことを望んでいます。作業は完了し、テストも通りました。",
	"ko": "사용자는 가져오기가 행을 하나씩 읽고 파일 전체를 읽지 않기를 원합니다. 작업은 끝났고 모든 테스트가 통과했습니다.",
	"ru": "Пользователь хочет, чтобы импорт читал строки по одной и не загружал весь файл. Это сделано, и все тесты проходят.",
	"ar": "يريد المستخدم أن يقرأ المستورد الصفوف واحدا تلو الآخر وألا يحمل الملف كله. تم ذلك وجميع الاختبارات ناجحة.",
}

func TestWrongLanguage_EachPair(t *testing.T) {
	for user, a := range samples {
		for text, b := range samples {
			require.Equal(t, user != text, wrongLanguage(a, b, nil), "%s summarized in %s", user, text)
		}
	}
}

func TestWrongLanguage_UndecidedPasses(t *testing.T) {
	de := samples["de"]
	for _, user := range []string{"", "ok", "weiter", "42", "internal/importer.go", "👍👍👍", "```\nthe the the the the\n```"} {
		require.False(t, wrongLanguage(user, de, nil), user)
	}
	require.False(t, wrongLanguage(de, "ok", nil))
	// A user who writes in two languages has none that a summary could miss.
	require.False(t, wrongLanguage(samples["en"]+" "+samples["de"], samples["fr"], nil))
}

// What a user pastes is not what a user writes.
func TestWrongLanguage_PastedLogs(t *testing.T) {
	logs := strings.Repeat("Object resetState called connect about to initialize response\n", 40)
	require.False(t, wrongLanguage(logs+samples["zh"], samples["zh"], nil))
	form := "I have read the document. I have added tests that prove that my fix is effective or that it works.\n"
	require.False(t, wrongLanguage(form+samples["zh"], samples["zh"], nil))
}

// Code, paths, tags and commands are English everywhere and say nothing.
func TestWrongLanguage_CodeDoesNotCount(t *testing.T) {
	noise := "\n```\nif the file is not in the list then the job is done and we are at the end of the run\n```\n" +
		"internal/importer/csv.go read_rows BenchmarkImport go_test.yml <past_message from=\"user\">\n"
	for user, text := range samples {
		require.False(t, wrongLanguage(text, text+strings.Repeat(noise, 5), nil), user)
		require.False(t, wrongLanguage(text+strings.Repeat(noise, 5), text, nil), user)
	}
}

// Quoted instructions are in the user's language whatever the summary is written in, and the other way round.
func TestWrongLanguage_QuotedFactsDoNotCount(t *testing.T) {
	facts := []Fact{newFact(ClassUserConstraint, samples["de"], 1), newFact(ClassToolOutcome, samples["en"], 2)}
	quoted := "- " + samples["de"] + "\n- " + samples["en"] + "\n"
	require.True(t, wrongLanguage(samples["de"], quoted+"The work is in the hands of the agent and it will be done when the tests are green.", facts))
	require.False(t, wrongLanguage(samples["de"], quoted+"Die Arbeit ist bei dem Agenten und sie wird fertig sein, wenn die Tests grün sind.", facts))
}

func TestGate_WrongLanguage(t *testing.T) {
	in := gateInput()
	in.UserText = strings.Repeat(samples["de"]+" ", 3)
	require.Equal(t, string(ReasonSemanticWrongLanguage), Gate(in).Reason)
	in.Text = strings.Replace(in.Text, "Never push", "push", 1)
	require.Equal(t, string(RetentionDrop(ClassUserConstraint)), Gate(in).Reason, "facts come first")
}
