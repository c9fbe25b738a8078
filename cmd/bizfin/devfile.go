package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// devFileContent is what `bizfin dev` tells other commands and your own programs, in .local/dev.json.
type devFileContent struct {
	BaseURL       string `json:"base_url"`
	Audience      string `json:"audience"`
	PartnerID     string `json:"partner_id"`
	PartnerSecret string `json:"partner_secret"`
	WebhookURL    string `json:"webhook_url"`
	WebhookSecret string `json:"webhook_secret"`
	MCPURL        string `json:"mcp_url"`
	DatabaseURL   string `json:"database_url"`
	RedisURL      string `json:"redis_url"`
	SecretKey     string `json:"secret_key"`
}

func devFile(folder string) string { return filepath.Join(folder, "dev.json") }

func readDevFile(folder string) (devFileContent, error) {
	var content devFileContent
	text, err := os.ReadFile(devFile(folder))
	if err != nil {
		return content, err
	}
	return content, json.Unmarshal(text, &content)
}

// writeDevFile replaces the file in one step; only this user may read it.
func writeDevFile(folder string, content devFileContent) error {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(folder, "dev.json.*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	if err := draft.Chmod(0o600); err != nil {
		return err
	}
	if _, err := draft.Write(append(text, '\n')); err != nil {
		return err
	}
	if err := draft.Close(); err != nil {
		return err
	}
	return os.Rename(draft.Name(), devFile(folder))
}

const devFolder = ".local"
