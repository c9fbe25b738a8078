package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store"
)

func tokenCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "token",
		Short:   "Make, look up and revoke tokens",
		Example: "  bizfin token partner --email ana@example.com --business \"biz-1=Ana's Bakery\"",
	}, tokenPartnerCommand(), tokenOAuthCommand(), tokenListCommand(), tokenShowCommand(), tokenRevokeCommand())
}

func tokenPartnerCommand() *cobra.Command {
	var partner, sub, email, name, selected, tier string
	var businesses []string
	var ttl time.Duration
	var revoke, asJSON bool
	cmd := &cobra.Command{
		Use:   "partner",
		Short: "Sign a partner token, as the partner's own server would",
		Example: `  TOKEN=$(bizfin token partner --email ana@example.com --business "biz-1=Ana's Bakery")
  bizfin token partner --sub user-2 --business "biz-1=Ana's Bakery:member" --business biz-2 --select biz-2 --tier paid
  bizfin token partner --sub user-2 --revoke    # a connection with it revokes all access of the person`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if revoke != (len(businesses) == 0) {
				return errors.New("say the person's businesses with --business, or --revoke to sign an empty list: a " +
					"connection with that takes all access away from them")
			}
			payload, err := payloadOf(businesses, selected, tier)
			if err != nil {
				return err
			}
			s, db, err := openStore(cmd.ErrOrStderr(), needKeys, needAudience)
			if err != nil {
				return err
			}
			defer db.Close()
			secret, err := newestSecret(cmd.Context(), db, s, partner, store.PurposeToken)
			if err != nil {
				return err
			}
			now := time.Now()
			signed, err := partnertoken.Sign(partnertoken.Claims{
				PartnerID: partner, Audience: s.Audience, Subject: sub, Email: email, Name: name,
				IssuedAt: now, ExpiresAt: now.Add(ttl), ID: uuid.NewString(), Payload: payload,
			}, secret)
			if err != nil {
				return err
			}
			if err := acceptable(signed, partnertoken.Expect{PartnerID: partner, Audience: s.Audience,
				Secrets: [][]byte{secret}, Now: now}); err != nil {
				return err
			}
			return showToken(cmd.OutOrStdout(), asJSON, signed, now.Add(ttl))
		},
	}
	cmd.Flags().StringVar(&partner, "partner", "demo", "the partner's id")
	cmd.Flags().StringVar(&sub, "sub", "user-1", "the person, by the partner's own stable id")
	cmd.Flags().StringVar(&email, "email", "", "the person's e-mail")
	cmd.Flags().StringVar(&name, "name", "", "the person's name")
	cmd.Flags().StringArrayVar(&businesses, "business", nil,
		"a business as ID, ID=NAME or ID=NAME:ROLE; repeat it for several")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "sign an empty list of businesses")
	cmd.Flags().StringVar(&selected, "select", "", "the selected business (default the first)")
	cmd.Flags().StringVar(&tier, "tier", "", "free or paid")
	cmd.Flags().DurationVar(&ttl, "ttl", 15*time.Minute, "how long the token is valid")
	addJSONFlag(cmd, &asJSON)
	_ = cmd.RegisterFlagCompletionFunc("partner", completePartners)
	_ = cmd.RegisterFlagCompletionFunc("tier", completeWords("free", "paid"))
	return cmd
}

// acceptable judges a token as the service will.
func acceptable(signed string, want partnertoken.Expect) error {
	verified, err := partnertoken.Verify(signed, want)
	switch {
	case errors.Is(err, partnertoken.ErrExpired):
		return errors.New("--ttl must be longer than nothing, such as 15m")
	case err != nil:
		return fmt.Errorf("the service would refuse the token: %w", err)
	}
	_, problems := partnertoken.ParsePayload(verified.Payload)
	if len(problems) == 0 {
		return nil
	}
	told := make([]string, len(problems))
	for i, p := range problems {
		told[i] = p.Path + " " + p.Message
	}
	return fmt.Errorf("the service would refuse the token:\n  %s", strings.Join(told, "\n  "))
}

// showToken prints a token, alone in its line for shells.
func showToken(w io.Writer, asJSON bool, token string, expires time.Time) error {
	if asJSON {
		return printJSON(w, map[string]string{"token": token, "expires_at": expires.UTC().Format(time.RFC3339)})
	}
	_, err := fmt.Fprintln(w, token)
	return err
}

// payloadOf reads the businesses of the command line.
func payloadOf(businesses []string, selected, tier string) (partnertoken.Payload, error) {
	payload := partnertoken.Payload{Tier: tier, Businesses: []partnertoken.Business{}}
	for _, text := range businesses {
		id, rest, named := strings.Cut(text, "=")
		b := partnertoken.Business{ID: id, Name: id, Role: store.RoleOwner}
		if named {
			if name, role, ok := cutLast(rest, ":"); ok && (role == store.RoleOwner || role == store.RoleMember) {
				b.Name, b.Role = name, role
			} else {
				b.Name = rest
			}
		}
		payload.Businesses = append(payload.Businesses, b)
	}
	if len(payload.Businesses) == 0 {
		return payload, nil
	}
	if selected == "" {
		selected = payload.Businesses[0].ID
	}
	if !slices.ContainsFunc(payload.Businesses, func(b partnertoken.Business) bool { return b.ID == selected }) {
		return payload, fmt.Errorf("--select %q is none of the businesses", selected)
	}
	payload.BusinessID = &selected
	return payload, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// newestSecret opens a partner's newest valid secret.
func newestSecret(ctx context.Context, db *store.DB, s settings, partnerID, purpose string) ([]byte, error) {
	sealed, err := db.PartnerSecrets(ctx, partnerID, purpose)
	if errors.Is(err, store.ErrInvalidCredential) {
		return nil, noActivePartner(partnerID)
	}
	if err != nil {
		return nil, err
	}
	secret, err := s.keys.Open(sealed[0], server.SecretContext(partnerID, purpose))
	if err != nil {
		return nil, fmt.Errorf("the secret of partner %q does not open with BIZFIN_SECRET_KEY\n  Add the key that "+
			"sealed it, behind a comma, or give the partner a new one: bizfin partner rotate %s", partnerID, partnerID)
	}
	return secret, nil
}

// longestOAuthToken is how long an opaque token may be valid: whoever finds a forgotten one has it no longer.
const longestOAuthToken = 90 * 24 * time.Hour

func tokenOAuthCommand() *cobra.Command {
	var user string
	var scopes []string
	var ttl time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "oauth",
		Short: "Mint an opaque access token for a person and their agents",
		Example: `  bizfin token oauth --user 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01
  bizfin token oauth --user 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01 --ttl 720h --scope org:read,org:answer`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := personID(user)
			if err != nil {
				return err
			}
			if ttl <= 0 || ttl > longestOAuthToken {
				return fmt.Errorf("--ttl must be longer than nothing and at most %s; mint another one in time",
					longestOAuthToken)
			}
			for _, scope := range scopes {
				if !slices.Contains(server.Scopes, scope) {
					return fmt.Errorf("%q is not a scope; the scopes are %s", scope, strings.Join(server.Scopes, ", "))
				}
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			raw := make([]byte, 32)
			rand.Read(raw)
			minted := server.OAuthTokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
			now := time.Now()
			err = db.SaveOAuthToken(cmd.Context(), now, minted,
				store.OAuthToken{PersonID: id, Scopes: scopes, ExpiresAt: now.Add(ttl)})
			if err != nil {
				return unknownPerson(err, id)
			}
			return showToken(cmd.OutOrStdout(), asJSON, minted, now.Add(ttl))
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "the person's user_id")
	cmd.Flags().StringSliceVar(&scopes, "scope", server.Scopes, "what the token may do")
	cmd.Flags().DurationVar(&ttl, "ttl", time.Hour, "how long the token is valid, at most 2160h")
	addJSONFlag(cmd, &asJSON)
	_ = cmd.RegisterFlagCompletionFunc("scope", completeWords(server.Scopes...))
	_ = cmd.MarkFlagRequired("user")
	return cmd
}
