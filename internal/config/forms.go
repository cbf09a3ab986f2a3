package config

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

func isHostPort(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && 0 <= n && n <= 65535
}

func isPath(s string) bool { return s != "" }

func isModel(s string) bool {
	provider, name, cut := strings.Cut(s, ":")
	return s == "" || cut && provider != "" && name != "" && !strings.ContainsRune(s, ' ') && len(s) <= 200
}

// isOrigin accepts scheme and host alone, as a browser's Origin header has them.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	if s == "" {
		return true
	}
	return err == nil && isHTTP(u) && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

func isBaseURL(s string) bool {
	u, err := url.Parse(s)
	return s == "" || err == nil && isHTTP(u)
}

// isHTTP also refuses credentials in a URL: they would end up in logs.
func isHTTP(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
