package docs

// Paths lists the addresses of the site.
func (s *Site) Paths() []string {
	var list []string
	for at := range s.files {
		list = append(list, at)
	}
	return list
}
