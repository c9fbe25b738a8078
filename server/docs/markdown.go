package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// writer renders our own texts; raw HTML in them is left out.
var writer = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 100))),
)

// markdown renders a text of several paragraphs.
func markdown(text string) template.HTML {
	var out bytes.Buffer
	if err := writer.Convert([]byte(text), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(out.String()) // goldmark has escaped what is no Markdown
}

// markdownLine renders a text without the paragraph around a single one.
func markdownLine(text string) template.HTML {
	out := strings.TrimSpace(string(markdown(text)))
	if strings.Count(out, "<p>") == 1 {
		out = strings.TrimSuffix(strings.TrimPrefix(out, "<p>"), "</p>")
	}
	return template.HTML(out)
}

// codeBlocks renders fenced blocks with their parts in spans.
type codeBlocks struct{}

func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, node ast.Node,
		entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		block := node.(*ast.FencedCodeBlock)
		var code bytes.Buffer
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			code.Write(line.Value(source))
		}
		language := string(block.Language(source))
		_, err := fmt.Fprintf(w, "<div class=\"code\" data-language=\"%s\">%s</div>\n",
			template.HTMLEscapeString(language), highlighted(code.String(), language))
		return ast.WalkSkipChildren, err
	})
}
