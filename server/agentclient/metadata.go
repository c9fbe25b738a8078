package agentclient

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// metadata are the members that count of a registration and of a document (RFC 7591, section 2).
type metadata struct {
	ClientID      string   `json:"client_id"` // of a document
	Name          string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

// Refusal is why a registration is refused (RFC 7591, section 3.2.2).
type Refusal struct{ Code, Description string }

func (r *Refusal) Error() string { return r.Description }

var (
	errMetadata = &Refusal{"invalid_client_metadata", "The body is not one JSON object of client metadata."}
	errGrants   = &Refusal{"invalid_client_metadata",
		"Programs are given access by the authorization_code grant and response_type code alone."}
	errRedirects = &Refusal{"invalid_redirect_uri", "redirect_uris must be 1 to 16 addresses, each of them http on " +
		"127.0.0.1, [::1] or localhost, or https at a host that this service knows."}
)

// Register reads a registration. What it asks for beside that has no effect: it gets no secret. Its https addresses
// must be at well-known hosts or at those given. The id is the caller's to make. The error is a *Refusal.
func Register(raw []byte, hosts []string) (Client, error) {
	var m metadata
	if json.Unmarshal(raw, &m) != nil {
		return Client{}, errMetadata
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code") ||
		len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		return Client{}, errGrants
	}
	strange := func(uri string) bool { return !allowed(uri, hosts) }
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirects || slices.ContainsFunc(m.RedirectURIs, strange) {
		return Client{}, errRedirects
	}
	c := Client{Name: Shown(m.Name), RedirectURIs: m.RedirectURIs, Registered: true}
	if c.Name == "" {
		c.Name = "A program without a name"
	}
	return c, nil
}

// document reads the document that stands at id. Addresses of it that nobody is sent to are left out: those of hosts
// that are neither its own nor known.
func document(id string, raw []byte, hosts []string) (Client, bool) {
	var m metadata
	if json.Unmarshal(raw, &m) != nil || m.ClientID != id || strings.HasPrefix(m.AuthMethod, "client_secret") {
		return Client{}, false
	}
	_, own, _, _ := parts(id)
	c := Client{ID: id, Name: Shown(m.Name)}
	for _, uri := range m.RedirectURIs[:min(len(m.RedirectURIs), maxRedirects)] {
		if allowed(uri, hosts, []string{own}) {
			c.RedirectURIs = append(c.RedirectURIs, uri)
		}
	}
	return c, c.Name != "" && len(c.RedirectURIs) > 0
}

const maxShown = 80

// Shown is a name of others as it is shown: without what could make a reader see other text than there is, and cut.
func Shown(name string) string {
	var b strings.Builder
	for field := range strings.FieldsFuncSeq(strings.ToValidUTF8(name, ""), unicode.IsSpace) {
		field = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return -1 // controls, marks of direction, what has no width
		}, field)
		if field != "" && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(field)
	}
	text := b.String()
	if utf8.RuneCountInString(text) > maxShown {
		text = string([]rune(text)[:maxShown]) + "…"
	}
	return text
}
