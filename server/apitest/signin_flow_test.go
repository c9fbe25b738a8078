package apitest

import (
	"strings"
	"testing"
)

// The way that a hosted program goes, by hand.
func TestAPersonLetsAnAgentIn(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	challenge := s.rpc(nil, "tools/list", M{}).want(401).header.Get("WWW-Authenticate")
	if !strings.Contains(challenge, `resource_metadata="`+metadataURL+`"`) {
		t.Fatalf("the challenge is %s", challenge)
	}
	s.fetch("/.well-known/oauth-protected-resource/mcp").want(200).wantAt([]string{publicURL}, "authorization_servers")
	client := s.register()
	v := s.newVisitor()
	at := s.arrive(v, accessFor(client))
	at.want(200)
	got := s.token(redeeming(client, codeOf(t, v.decide(at.form(), "allow")))).want(200)
	got.wantAt("Bearer", "token_type")
	got.wantAt("org:read org:answer", "scope")
	organization := s.site.organization(0)
	s.withOAuth(got.text("access_token")).get("/organizations/" + organization + "/profile").want(200)
	answered := s.rpc(bearing(got.text("access_token")), "tools/call",
		M{"name": "getProfile", "arguments": M{"organization_id": organization}}).want(200)
	if strings.Contains(string(answered.body), `"isError":true`) {
		t.Errorf("the tool answers %s", answered.body)
	}
}
