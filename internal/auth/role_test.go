package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
)

// The table of the product (screens.md "Roles"): one row a role, one column a capability.
func TestRole_Can(t *testing.T) {
	caps := []auth.Capability{auth.CapSessions, auth.CapFigures, auth.CapText, auth.CapOperate, auth.CapKeys}
	for role, want := range map[auth.Role][]bool{
		auth.RoleClient:   {true, false, false, false, false},
		auth.RoleViewer:   {false, true, false, false, false},
		auth.RoleOperator: {true, true, true, true, false},
		auth.RoleAdmin:    {true, true, true, true, true},
		"root":            {false, false, false, false, false},
		"":                {false, false, false, false, false},
	} {
		for i, c := range caps {
			require.Equal(t, want[i], role.Can(c), "%s %s", role, c)
		}
	}
}

func TestParseRole(t *testing.T) {
	for _, r := range auth.Roles {
		got, err := auth.ParseRole(string(r))
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
	_, err := auth.ParseRole("Admin")
	require.EqualError(t, err, `role: "Admin" is not allowed; allowed: client, viewer, operator, admin`)
}

func TestPrincipal_May(t *testing.T) {
	for _, tc := range []struct {
		name                       string
		p                          auth.Principal
		owner                      string
		drive, operate, see, reads bool
	}{
		{"client, own", auth.Principal{Owner: "a", Role: auth.RoleClient}, "a", true, true, true, true},
		{"client, other's", auth.Principal{Owner: "a", Role: auth.RoleClient}, "b", false, false, false, false},
		{"viewer", auth.Principal{Owner: "a", Role: auth.RoleViewer}, "b", false, false, true, false},
		{"viewer, same name", auth.Principal{Owner: "a", Role: auth.RoleViewer}, "a", false, false, true, false},
		{"operator, other's", auth.Principal{Owner: "a", Role: auth.RoleOperator}, "b", false, true, true, true},
		{"admin, other's", auth.Principal{Owner: "a", Role: auth.RoleAdmin}, "b", false, true, true, true},
		{"nobody", auth.Principal{}, "", false, false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.drive, tc.p.MayDrive(tc.owner))
			require.Equal(t, tc.operate, tc.p.MayOperate(tc.owner))
			require.Equal(t, tc.see, tc.p.MaySee(tc.owner))
			require.Equal(t, tc.reads, tc.p.MayRead(tc.owner))
		})
	}
}
