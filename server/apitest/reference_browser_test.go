package apitest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// browserProgram names the Chromium that `make browser` has found. The tests of this file need it.
	browserProgram = "BIZFIN_TEST_BROWSER"
	// screenshots names a folder for pictures of what the tests have seen; without it none are taken.
	screenshots = "BIZFIN_TEST_SCREENSHOTS"
)

// tab is a page of a browser of its own, with everything it has asked for and complained about.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	asked    []string
	problems []string
}

// browse opens a tab on the documentation of a server.
func (a *api) browse(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(os.Getenv(browserProgram)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocated, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocated)
	t.Cleanup(closeTab)
	b := &tab{t: t, ctx: ctx, url: a.url + "/api/v1/docs/"}
	if err := chromedp.Listen(ctx, b.heard); err != nil {
		t.Fatal(err)
	}
	b.run(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}),
		command(runtime.Enable, cdp.Empty{}))
	return b
}

// command is a command of the browser's protocol as a step.
func command[P, R any](method cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, method, params)
		return err
	})
}

func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s: %s", e.Type, e.Args[0].Value))
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
	}
}

// run takes steps, each of them within a minute.
func (b *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// open shows a page of the documentation as a device of that width would, in a colour scheme of the system.
func (b *tab) open(page string, width int64, scheme string) {
	b.t.Helper()
	b.run(
		chromedp.EmulateViewport(width, 900),
		command(emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
				Value: scheme}}}),
		chromedp.Navigate(b.url+page),
		chromedp.WaitReady("main"),
	)
}

// evaluate returns what an expression of the page is.
func evaluate[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// picture keeps what the tab shows, where pictures are wanted.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := os.Getenv(screenshots)
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// clean fails the test where the page has complained, or asked for anything of another origin.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		b.t.Errorf("the page complains: %s", problem)
	}
	own, err := url.Parse(b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, asked := range b.asked {
		if at, err := url.Parse(asked); err != nil || at.Host != own.Host && at.Scheme != "data" {
			b.t.Errorf("the page asked for %s", asked)
		}
	}
	if len(b.asked) < 3 {
		b.t.Errorf("the network log has %d requests; is it listening?", len(b.asked))
	}
}

func needBrowser(t *testing.T) {
	t.Helper()
	if os.Getenv(browserProgram) == "" {
		t.Skip("run by make browser")
	}
}

func TestInABrowserEveryPageFitsDesktopAndPhoneInLightAndDark(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	b := shared(t).browse(t)
	b.open("guides/", 1280, "light")
	pages := append([]string{"", "guides/", "#searchTransactions", "#uploadTransactions",
		"guides/signing-tokens#sign-one"}, evaluate[[]string](b,
		`[...document.querySelectorAll(".cards a")].map(a => "guides/" + a.getAttribute("href"))`)...)
	if len(pages) < 10 {
		t.Fatalf("only the pages %q", pages)
	}
	for _, page := range pages {
		papers := map[string]string{}
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				b.open(page, width, scheme)
				if heading := evaluate[string](b, `document.querySelector("h1").textContent`); len(heading) < 5 {
					t.Errorf("%s has the heading %q", page, heading)
				}
				for _, state := range []string{"", "with everything open "} {
					if over := evaluate[[]string](b, tooWide); len(over) > 0 {
						t.Errorf("%s %sis wider than %d: %s", page, state, width, over)
					}
					if state == "" {
						b.picture(fmt.Sprintf("%s-%s-%d",
							strings.Trim(unsafeInNames.ReplaceAllString(cmp.Or(page, "reference"), "-"), "-"), scheme,
							width))
						evaluate[int](b, `document.querySelectorAll("details").forEach(d => d.open = true) ?? 0`)
					}
				}
				papers[scheme] = evaluate[string](b, `getComputedStyle(document.body).backgroundColor`)
			}
		}
		if papers["light"] == papers["dark"] {
			t.Errorf("%s is %s in light and in dark", page, papers["light"])
		}
	}
	b.clean()
}

var unsafeInNames = regexp.MustCompile("[/#]")

// tooWide names what makes the page scroll sideways.
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.tagName + "." + e.className).slice(0, 5)`

func TestInABrowserTheChoiceOfLightOrDarkIsKept(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	b := shared(t).browse(t)
	paper := func() string { return evaluate[string](b, `getComputedStyle(document.body).backgroundColor`) }
	b.open("", 1280, "light")
	light := paper()
	b.run(chromedp.Click("#theme"))
	dark := paper()
	if dark == light {
		t.Error("the button changes nothing")
	}
	b.open("guides/", 1280, "light")
	if got := paper(); got != dark {
		t.Errorf("the next page is %s, want %s", got, dark)
	}
	b.run(chromedp.Click("#theme"))
	if got := paper(); got != light {
		t.Errorf("the second press gives %s, want %s", got, light)
	}
	b.clean()
}

func TestInABrowserTheLanguageOfSamplesIsChosenOnceAndKept(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	b := shared(t).browse(t)
	shown := func() []string {
		return evaluate[[]string](b, `[...new Set([...document.querySelectorAll(".tabs > .code:not([hidden])")].map(c => c.dataset.language))]`)
	}
	top := func() float64 {
		return evaluate[float64](b, `document.querySelector("#getPnlReport .tab-bar").getBoundingClientRect().top`)
	}
	b.open("#getPnlReport", 1280, "light")
	if got := shown(); !slices.Equal(got, []string{"bash"}) {
		t.Errorf("at first %q are shown", got)
	}
	before := top()
	b.run(chromedp.Click(`#getPnlReport [data-language="python"][role=tab]`))
	if got, at := shown(), top(); !slices.Equal(got, []string{"python"}) || math.Abs(at-before) > 2 {
		t.Errorf("after the choice %q are shown, and the tab moved from %v to %v", got, before, at)
	}
	b.open("guides/retries", 1280, "light")
	if got := shown(); !slices.Equal(got, []string{"python"}) {
		t.Errorf("on the next page %q are shown", got)
	}
	for _, language := range []string{"go", "ts", "python"} {
		b.open("#uploadTransactions", 390, "light")
		b.run(chromedp.Click(`#uploadTransactions [data-language="`+language+`"][role=tab]`),
			chromedp.ScrollIntoView("#uploadTransactions .samples"))
		if over := evaluate[[]string](b, tooWide); len(over) > 0 {
			t.Errorf("a sample in %s is wider than a phone: %s", language, over)
		}
		b.picture("sample-" + language + "-light-390")
		b.open("#samples", 1280, "dark")
		b.picture("samples-" + language + "-dark-1280")
	}
	b.clean()
}

func TestInABrowserAPhoneSearches(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	b := shared(t).browse(t)
	b.open("", 390, "light")
	b.run(chromedp.Click(".search input"), chromedp.SendKeys(".search input", "external_id"),
		chromedp.WaitVisible(".search li a"))
	b.picture("search-light-390")
	if width := evaluate[float64](b,
		`document.querySelector(".search input").getBoundingClientRect().width`); width < 300 {
		t.Errorf("the field is %v wide", width)
	}
	if over := evaluate[[]string](b, tooWide); len(over) > 0 {
		t.Errorf("what is found is wider than a phone: %s", over)
	}
	found := evaluate[string](b, `document.querySelector(".search li a").hash.slice(1)`)
	b.run(chromedp.Click(".search li a"))
	if top := evaluate[float64](b, `document.getElementById("`+found+`").getBoundingClientRect().top`); top < 40 ||
		top > 300 {
		t.Errorf("%s stands at %v", found, top)
	}
	b.clean()
}

func TestInABrowserAPhoneOpensTheContents(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	b := shared(t).browse(t)
	b.open("", 390, "light")
	b.run(chromedp.Click("#menu"), chromedp.WaitVisible(`.contents a[href="#getPnlReport"]`))
	b.picture("menu-light-390")
	b.run(chromedp.Click(`.contents a[href="#getPnlReport"]`), chromedp.WaitNotVisible(".contents"))
	if top := evaluate[float64](b, `document.getElementById("getPnlReport").getBoundingClientRect().top`); top < 0 ||
		top > 200 {
		t.Errorf("the operation stands at %v", top)
	}
	b.clean()
}

func TestInABrowserOperationsCanBeTried(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	a := shared(t)
	b := a.browse(t)
	b.open("", 1280, "light")
	try := func(operation string, fill map[string]string) string {
		t.Helper()
		form := `form[data-operation="` + operation + `"]`
		evaluate[bool](b, `document.querySelector('`+form+`').closest("details").open = true`)
		for name, value := range fill {
			b.run(chromedp.SetValue(form+` [name="`+name+`"]`, value))
		}
		evaluate[bool](b, `document.querySelector('`+form+` .result').replaceChildren() === undefined`)
		b.run(chromedp.Click(form+" [type=submit]"), chromedp.WaitVisible(form+" .result > :last-child"))
		return evaluate[string](b, `document.querySelector('`+form+` .result').innerText`)
	}
	want := func(operation string, fill map[string]string, parts ...string) {
		t.Helper()
		got := try(operation, fill)
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s shows %q, want %q in it", operation, got, part)
			}
		}
	}
	b.run(chromedp.SendKeys(`[name="token"]`, a.sign("ana", business("bakery", "owner"))),
		chromedp.SendKeys(`[name="partner"]`, a.partner))
	want("connectPartner", nil, "200 in", `"business_id": "bakery"`)
	want("getProfile", nil, "200 in", `"name": "Business bakery"`)
	want("uploadAccounts", nil, "200 in", `"external_id": "acc-1"`)
	want("uploadTransactions", map[string]string{
		"body": `{"transactions": [{"external_id": "t1", "amount": -48.20, "date": "2026-03-30", "description": "FLOUR MILL 0042"}]}`},
		"200 in", `"external_id": "t1"`)
	account := evaluate[string](b, `known.account_id`)
	want("searchTransactions", map[string]string{"accountIds": `["` + account + `"]`, "query": "flour"}, "200 in",
		`"amount": -48.20`, "accountIds=%5B%22"+account)
	b.picture("tried-light-1280")
	b.run(chromedp.EmulateViewport(390, 900),
		chromedp.ScrollIntoView(`form[data-operation="searchTransactions"] .result`))
	b.picture("tried-light-390")
	if over := evaluate[[]string](b, tooWide); len(over) > 0 {
		t.Errorf("an answer is wider than a phone: %s", over)
	}
	b.run(chromedp.EmulateViewport(1280, 900))
	want("searchTransactions", map[string]string{"accountIds": account}, "accountIds must be JSON")
	want("getPnlReport", map[string]string{"categoryPaths": `[["Expenses", "Advertising"]]`}, "200 in", `"netProfit"`)
	want("getTransaction", nil, "200 in", `"FLOUR MILL 0042"`)
	want("deleteTransaction", nil, "200 in", `"deleted": true`)
	b.clean()
}
