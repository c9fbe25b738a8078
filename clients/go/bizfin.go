// Package bizfin is a client of the bizfin API for a partner's server. Types and operations are generated from the
// API's document; beside them are a signer, retries, uploads of any size and lists without pages.
package bizfin

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// New is a client of the API at address, such as https://api.example/api/v1. It signs each attempt of a request as the
// person and repeats what failed for the moment, since every operation can be sent again.
func New(address string, signer Signer, person Person) (*ClientWithResponses, error) {
	return NewClientWithResponses(address, WithHTTPClient(&Retrying{Sign: signer.as(person)}))
}

// Refused is an answer other than 200.
type Refused struct {
	Status    int
	RequestID string // tell it to the support
	ErrorBody        // what went wrong and, with 422, every problem
}

func (r *Refused) Error() string {
	if r.Issues == nil || len(*r.Issues) == 0 {
		return fmt.Sprintf("bizfin: %d: %s", r.Status, r.ErrorBody.Error)
	}
	first := (*r.Issues)[0]
	return fmt.Sprintf("bizfin: %d: %s %s %s", r.Status, r.ErrorBody.Error, first.Path, first.Message)
}

// refused makes an error of an answer.
func refused(response *http.Response, body []byte) error {
	r := &Refused{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	if err := json.Unmarshal(body, &r.ErrorBody); err != nil || r.ErrorBody.Error == "" {
		r.ErrorBody.Error = response.Status // of a gateway in between
	}
	return r
}
