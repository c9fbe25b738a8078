package main

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"bizfin/store"
)

func personID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fmt.Errorf("%q is not a user_id\n  It is a UUID, as a connection or bizfin legacy "+
			"login answers it", text)
	}
	return id, nil
}

func unknownPerson(err error, id uuid.UUID) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no person %s\n  A person comes to be with a first connection, which "+
			"answers the user_id", id)
	}
	return err
}

func organizationID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fmt.Errorf("%q is not an organization_id\n  It is a UUID; those there are: bizfin "+
			"organization list", text)
	}
	return id, nil
}

func unknownOrganization(err error, id uuid.UUID) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no organization %s\n  Those there are: bizfin organization list", id)
	}
	return err
}

func unknownPartner(err error, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no partner %q\n  Those there are: bizfin partner list", id)
	}
	return err
}

func noActivePartner(id string) error {
	return fmt.Errorf("there is no active partner %q\n  Those there are: bizfin partner list", id)
}

// exampleID stands for an id in examples.
const exampleID = "0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01"
