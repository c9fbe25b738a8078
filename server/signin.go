package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// serveSignIn routes the authorization server, where it is turned on.
func (s *Server) serveSignIn(e *echo.Echo) {
	if s.SignIn == nil {
		return
	}
	for _, path := range []string{"", mcpPath} { // some put the resource's path behind it
		e.GET(serverMetadataPath+path, s.describeServer, mayBeKept, anyOrigin(http.MethodGet))
		e.OPTIONS(serverMetadataPath+path, preflight, anyOrigin(http.MethodGet))
	}
	begins, goesOn := s.holdAddress("authorize", authorizeRule), s.holdAddress("page", pageRule)
	connecting, looking := s.asPage("This program was not connected"), s.asPage("This did not work")
	e.GET(authorizePath, s.beginSignIn, connecting, begins)
	e.POST(partnerPath, s.choosePartner, looking, goesOn, s.readBody)
	e.GET(continuePath, s.returnFromPartner, looking, goesOn)
	e.GET(consentPath, s.showConsent, connecting, goesOn)
	e.POST(consentPath, s.takeConsent, connecting, goesOn, s.readBody)
	e.GET(agentsPath, s.beginLooking, looking, begins)
	e.GET(letInPath, s.showLetIn, looking, goesOn)
	e.POST(letInPath, s.endLetIn, looking, goesOn, s.readBody)

	e.POST(requestsPath+"/:id/accept", s.acceptSignIn, s.holdSigningIn)
	e.POST(requestsPath+"/:id/refuse", s.refuseSignIn, s.holdSigningIn)
	e.GET(grantsPath, s.listGrants, s.holdPartner)
	e.DELETE(grantsPath, s.endGrants, s.holdPartner)
	e.DELETE(grantsPath+"/:id", s.endGrant, s.holdPartner)

	post := anyOrigin(http.MethodPost)
	for path, handle := range map[string]echo.HandlerFunc{tokenPath: s.giveToken, revokePath: s.revokeToken} {
		e.POST(path, handle, post, asOAuth, s.readBody)
		e.OPTIONS(path, preflight, post)
	}
	e.POST(registerPath, s.registerClient, post, asOAuth, s.holdAddress("register", registerRule), s.checkMediaType,
		s.readBody)
	e.OPTIONS(registerPath, preflight, post)
}

// serverMetadata describes the authorization server (RFC 8414, section 2).
type serverMetadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuth             []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth        []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges            []string `json:"code_challenge_methods_supported"`
	Documents             bool     `json:"client_id_metadata_document_supported"`
	NamesIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
	Documentation         string   `json:"service_documentation"`
}

// offlineAccess is a scope that clients ask for to be given a refresh token. They are given one anyway.
const offlineAccess = "offline_access"

func (s *Server) describeServer(c echo.Context) error {
	return c.JSON(http.StatusOK, serverMetadata{
		Issuer:                s.PublicURL,
		AuthorizationEndpoint: s.PublicURL + authorizePath,
		TokenEndpoint:         s.PublicURL + tokenPath,
		RegistrationEndpoint:  s.PublicURL + registerPath,
		RevocationEndpoint:    s.PublicURL + revokePath,
		Scopes:                append(s.agentScopes(), offlineAccess),
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{grantCode, grantRefresh, grantJWT},
		TokenAuth:             []string{"none"},
		RevocationAuth:        []string{"none"},
		Challenges:            []string{"S256"},
		Documents:             true,
		NamesIssuer:           true,
		Documentation:         s.PublicURL + BasePath + "/docs/guides/agents",
	})
}
