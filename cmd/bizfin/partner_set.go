package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bizfin/server/oauth"
)

func partnerSetCommand() *cobra.Command {
	var signInURL string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "set ID",
		Short: "Say where a partner signs people in that come from an agent",
		Long: `Say where a partner signs people in that come from an agent. An empty address
takes part in no sign-in; what people granted before goes on. The service must
run with BIZFIN_SIGN_IN=true.`,
		Example: `  bizfin partner set acme --sign-in-url https://app.acme.example/agent-sign-in
  bizfin partner set acme --sign-in-url ""`,
		Args:              arguments("ID"),
		ValidArgsFunction: completePartners,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSignInURL(signInURL); err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.SetSignIn(cmd.Context(), time.Now(), args[0], signInURL); err != nil {
				return unknownPartner(err, args[0])
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"partner_id": args[0], "sign_in_url": signInURL})
			}
			says := "signs people in at " + signInURL
			if signInURL == "" {
				says = "signs nobody in"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "partner %s %s\n", args[0], says)
			return err
		},
	}
	cmd.Flags().StringVar(&signInURL, "sign-in-url", "", "an https address; the id of each sign-in is added to it")
	_ = cmd.MarkFlagRequired("sign-in-url")
	_ = cmd.Flags().SetAnnotation("sign-in-url", mayBeEmpty, []string{"true"})
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// checkSignInURL takes an address that people are sent to with the id of their sign-in. Empty is none.
func checkSignInURL(address string) error {
	const longest = 1000
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	strange := func(r rune) bool { return r <= ' ' || r > '~' || r == '#' }
	if err != nil || u.Host == "" || u.User != nil || len(address) > longest ||
		u.Query().Has("agent_request") || strings.ContainsFunc(address, strange) ||
		u.Scheme != "https" && (u.Scheme != "http" || !oauth.Loopback(u.Host)) {
		return errors.New("--sign-in-url must look like https://app.example.com/agent-sign-in (http on loopback " +
			"alone), without a fragment and a name")
	}
	return nil
}
