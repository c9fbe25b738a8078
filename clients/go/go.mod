// The client names its path here alone: whoever publishes it changes this line, and who uses it the require and the imports.
module bizfin.example/client

go 1.26.0

require (
	github.com/google/uuid v1.6.0
	github.com/oapi-codegen/runtime v1.8.0
)

require github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
