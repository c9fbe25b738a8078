package docs

import (
	"html/template"
	"regexp"
	"strings"
)

// A rule finds the parts of a language that get a colour; the name of the group that matched is the class of the span.
// It knows what tells parts apart on a page and is no parser.
const (
	quoted  = `"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
	number  = `|\b(?P<m>-?\d[\d_.]*)\b`
	goWords = `break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|if|import|` +
		`interface|map|nil|package|range|return|select|struct|switch|type|var`
	tsWords = `as|async|await|catch|const|default|else|export|for|from|function|if|import|let|new|null|` +
		`of|return|satisfies|throw|true|false|try|type|typeof|undefined|while`
	pyWords = `and|as|def|else|except|False|for|from|if|import|in|is|lambda|None|not|or|raise|return|` +
		`True|try|while|with`
	bashWord = `do|done|else|fi|for|if|in|then|while`
)

var rules = map[string]*regexp.Regexp{
	"json": regexp.MustCompile(
		`(?P<nt>"(?:[^"\\]|\\.)*")\s*:|(?P<s>"(?:[^"\\]|\\.)*")|\b(?P<k>true|false|null)\b|(?P<m>-?\d[\d.]*)`,
	),
	"go": regexp.MustCompile("(?P<c>//[^\n]*)|(?P<s>" + quoted + "|`[^`]*`)|\\b(?P<k>" + goWords + `)\b` + number),
	"ts": regexp.MustCompile("(?P<c>//[^\n]*|/\\*(?s:.*?)\\*/)|(?P<s>" + quoted + "|`[^`]*`)|" +
		`\b(?P<k>` + tsWords + `)\b` + number),
	"python": regexp.MustCompile(`(?P<c>#[^\n]*)|(?P<s>"""(?s:.*?)"""|` + quoted + `)|\b(?P<k>` + pyWords + `)\b` +
		number),
	"bash": regexp.MustCompile(
		`(?P<c># [^\n]*)|(?P<s>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<nv>\$\w+|\$\{[^}]*\}|\b[A-Z]+=)|\b(?P<k>` + bashWord +
			`)\b|(?P<nt>(?:^|\s)--?[A-Za-z][A-Za-z-]*)`,
	),
	"yaml": regexp.MustCompile(`(?P<c># [^\n]*)|(?P<nt>[\w-]+):|(?P<s>` + quoted + `)|\b(?P<k>true|false|null)\b`),
}

// highlighted is code with its parts in spans; the style sheet gives their classes colours.
func highlighted(code, language string) template.HTML {
	code = strings.TrimSuffix(code, "\n")
	var out strings.Builder
	out.WriteString("<pre><code>")
	written := 0
	if rule := rules[language]; rule != nil {
		names := rule.SubexpNames()
		for _, at := range rule.FindAllStringSubmatchIndex(code, -1) {
			for group := 1; group < len(names); group++ {
				from, to := at[2*group], at[2*group+1]
				if from < 0 {
					continue
				}
				out.WriteString(template.HTMLEscapeString(code[written:from]))
				out.WriteString(`<span class="` + names[group] + `">` + template.HTMLEscapeString(code[from:to]) +
					"</span>")
				written = to
			}
		}
	}
	out.WriteString(template.HTMLEscapeString(code[written:]))
	out.WriteString("</code></pre>")
	return template.HTML(out.String()) // every part of it is escaped
}
