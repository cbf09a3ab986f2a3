package views

import (
	"strconv"

	"github.com/a-h/templ"
)

// current is the value of aria-current.
func current(yes bool) string {
	if yes {
		return "page"
	}
	return "false"
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// testID is a data-testid that holds an id of the data.
func testID(name, id string) templ.Attributes {
	return templ.Attributes{"data-testid": name, "data-id": id}
}

// count says how many of something there are.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// numericColumns are the columns of the session table that hold numbers.
var numericColumns = map[int]bool{2: true, 3: true, 4: true, 5: true, 8: true}

func numeric(column int) bool { return numericColumns[column] }
