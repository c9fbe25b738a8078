package wording

import (
	"strconv"
	"strings"
)

// weightOne is a weight of one: the odds are e times as good.
const weightOne = 10

// numbers are those of a line, with spaces between.
func numbers(line string) (all []int) {
	for text := range strings.FieldsSeq(line) {
		n, err := strconv.Atoi(text)
		if err != nil {
			panic("wording: no weight: " + text)
		}
		all = append(all, n)
	}
	return all
}

// eachWeight calls with each weight of a line: a number, a colon and the weight, with spaces between.
func eachWeight(line string, of func(at int, value int32)) {
	for i := 0; i < len(line); i++ {
		at, value, sign := 0, int32(0), int32(1)
		for ; line[i] != ':'; i++ {
			at = 10*at + int(line[i]-'0')
		}
		for i++; i < len(line) && line[i] != ' '; i++ {
			if line[i] == '-' {
				sign = -1
			} else {
				value = 10*value + int32(line[i]-'0')
			}
		}
		of(at, sign*value)
	}
}
