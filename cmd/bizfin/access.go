package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
	"bizfin/store"
)

// accessOptions say whose books a command works on, over the public API.
type accessOptions struct {
	business, url, organization string
}

func (o *accessOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.business, "business", "my-business=My business",
		"the business as ID or ID=NAME, of \"make run\" in this folder")
	cmd.Flags().StringVar(&o.url, "url", "",
		"another API, such as https://api.example.com, with a token in BIZFIN_TOKEN")
	cmd.Flags().StringVar(&o.organization, "organization", "", "the organization_id there")
}

// dial connects to the business, or finds the API source of the organization.
func (o accessOptions) dial(ctx context.Context) (*bookAPI, error) {
	if o.url != "" {
		return o.dialElsewhere(ctx)
	}
	dev, err := readDevFile(devFolder)
	if err != nil {
		return nil, noServer(err)
	}
	id, name, _ := strings.Cut(o.business, "=")
	api, err := dialOwner(dev, "Owner", partnertoken.Business{ID: id, Name: cmp.Or(name, id), Role: store.RoleOwner})
	if err != nil {
		return nil, err
	}
	_, err = api.connect(ctx)
	return api, err
}

// callersToken holds the access token of whoever calls, and is no setting of the service.
const callersToken = "BIZFIN_TOKEN"

func (o accessOptions) dialElsewhere(ctx context.Context) (*bookAPI, error) {
	organization, err := uuid.Parse(o.organization)
	if err != nil || os.Getenv(callersToken) == "" {
		return nil, errors.New("--url needs --organization ORGANIZATION_ID and an access token in " + callersToken +
			", such as one of: bizfin token oauth --user USER_ID")
	}
	api, err := dial(devFileContent{BaseURL: strings.TrimRight(o.url, "/")}, func(_ context.Context,
		r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv(callersToken))
		return nil
	})
	if err != nil {
		return nil, err
	}
	api.organization, api.elsewhere = organization, true
	profile, err := api.profile(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range profile.Coverage.Sources {
		if s.Kind == "api" && s.State == "connected" {
			api.source = s.Id
			return api, nil
		}
	}
	return nil,
		errors.New("the organization has no connected API source; its partner connects it with POST /auth/partner")
}

func (api *bookAPI) profile(ctx context.Context) (*client.Profile, error) {
	r, err := api.GetProfileWithResponse(ctx, api.organization, nil)
	return ok(api, "read the profile", r, err)
}
