package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tidemark/internal/acp"
)

// asyncAPI describes the session socket; it is made from the Go types (protocol section 3, "Docs").
func (s *Server) asyncAPI(c echo.Context) error {
	doc, err := acp.AsyncAPI()
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, doc)
}
