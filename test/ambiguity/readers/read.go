// Reads requests as a vendor written in Go does: encoding/json into structs, mime/multipart.
// One case per line of stdin, one reading per line of stdout; nothing but the standard library.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"os"
)

type input struct {
	Protocol    string `json:"protocol"`
	ContentType string `json:"contentType"`
	Body        string `json:"body"`
}

type config struct {
	MaxOutputTokens *int64 `json:"maxOutputTokens"`
	MaxOutputSnake  *int64 `json:"max_output_tokens"`
	CandidateCount  *int64 `json:"candidateCount"`
	CandidateSnake  *int64 `json:"candidate_count"`
}

type request struct {
	Model               *string `json:"model"`
	Stream              *bool   `json:"stream"`
	N                   *int64  `json:"n"`
	BestOf              *int64  `json:"best_of"`
	MaxTokens           *int64  `json:"max_tokens"`
	MaxCompletionTokens *int64  `json:"max_completion_tokens"`
	MaxOutputTokens     *int64  `json:"max_output_tokens"`
	Background          *bool   `json:"background"`
	Store               *bool   `json:"store"`
	StreamOptions       *struct {
		IncludeUsage *bool `json:"include_usage"`
	} `json:"stream_options"`
	Config      *config `json:"generationConfig"`
	ConfigSnake *config `json:"generation_config"`
}

func readJSON(body []byte) any {
	var read request
	if json.Unmarshal(body, &read) != nil {
		return nil
	}
	return map[string]any{
		"model": read.Model, "stream": read.Stream, "n": read.N, "best_of": read.BestOf, "max_tokens": read.MaxTokens,
		"max_completion_tokens": read.MaxCompletionTokens, "max_output_tokens": read.MaxOutputTokens,
		"background": read.Background, "store": read.Store, "stream_options": usage(read),
		"generationConfig": read.Config, "generation_config": read.ConfigSnake,
	}
}

func usage(read request) any {
	if read.StreamOptions == nil {
		return nil
	}
	return map[string]any{"include_usage": read.StreamOptions.IncludeUsage}
}

func readForm(contentType string, body []byte) any {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	fields := [][]string{}
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			return fields
		}
		if err != nil {
			return nil
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil
		}
		kind := "text"
		if part.FileName() != "" {
			kind = "file"
		}
		fields = append(fields, []string{part.FormName(), kind, base64.StdEncoding.EncodeToString(content)})
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var one input
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			os.Exit(1)
		}
		body, _ := base64.StdEncoding.DecodeString(one.Body)
		if one.Protocol == "form" {
			out.Encode(readForm(one.ContentType, body))
		} else {
			out.Encode(readJSON(body))
		}
	}
}
