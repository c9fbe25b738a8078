package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bizfin/internal/token"
	"bizfin/server"
	"bizfin/store"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Make and revoke tokens"}
	cmd.AddCommand(tokenPartnerCommand(), tokenOAuthCommand(), tokenRevokeCommand())
	return cmd
}

func tokenPartnerCommand() *cobra.Command {
	var partner, sub, email, name, selected, tier string
	var businesses []string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:   "partner",
		Short: "Sign a partner token, as the partner's own server would",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
			signed, err := token.Sign(token.Claims{
				PartnerID: partner, Audience: s.Audience, Subject: sub, Email: email, Name: name,
				IssuedAt: now, ExpiresAt: now.Add(ttl), ID: uuid.NewString(), Payload: payload,
			}, secret)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), signed)
			return nil
		},
	}
	cmd.Flags().StringVar(&partner, "partner", "demo", "the partner's id")
	cmd.Flags().StringVar(&sub, "sub", "user-1", "the person, by the partner's own stable id")
	cmd.Flags().StringVar(&email, "email", "", "the person's e-mail")
	cmd.Flags().StringVar(&name, "name", "", "the person's name")
	cmd.Flags().StringArrayVar(&businesses, "business", nil, "a business as ID, ID=NAME or ID=NAME:ROLE; repeat it for several, leave it out to revoke")
	cmd.Flags().StringVar(&selected, "select", "", "the selected business (default the first)")
	cmd.Flags().StringVar(&tier, "tier", "", "free or paid")
	cmd.Flags().DurationVar(&ttl, "ttl", 15*time.Minute, "how long the token is valid")
	return cmd
}

// payloadOf reads the businesses of the command line.
func payloadOf(businesses []string, selected, tier string) (token.Payload, error) {
	payload := token.Payload{Tier: tier, Businesses: []token.Business{}}
	for _, text := range businesses {
		id, rest, named := strings.Cut(text, "=")
		b := token.Business{ID: id, Name: id, Role: store.RoleOwner}
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
	if !slices.ContainsFunc(payload.Businesses, func(b token.Business) bool { return b.ID == selected }) {
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
		return nil, fmt.Errorf("there is no active partner %q", partnerID)
	}
	if err != nil {
		return nil, err
	}
	return s.keys.Open(sealed[0], server.SecretContext(partnerID, purpose))
}

func tokenOAuthCommand() *cobra.Command {
	var user string
	var scopes []string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:   "oauth",
		Short: "Mint an opaque access token for a person and their agents",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := personID(user)
			if err != nil {
				return err
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
			err = db.SaveOAuthToken(cmd.Context(), now, minted, store.OAuthToken{PersonID: id, Scopes: scopes, ExpiresAt: now.Add(ttl)})
			if err != nil {
				return unknownPerson(err, id)
			}
			fmt.Fprintln(cmd.OutOrStdout(), minted)
			return nil
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "the person's user_id")
	cmd.Flags().StringSliceVar(&scopes, "scope", server.Scopes, "what the token may do")
	cmd.Flags().DurationVar(&ttl, "ttl", time.Hour, "how long the token is valid")
	_ = cmd.MarkFlagRequired("user")
	return cmd
}

func tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke TOKEN",
		Short: "End an opaque access token",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			err = db.RevokeOAuthToken(cmd.Context(), time.Now(), args[0])
			if errors.Is(err, store.ErrNotFound) {
				return errors.New("there is no such token")
			}
			return err
		},
	}
}
