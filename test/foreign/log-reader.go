// Reads a whole log with the unmodified golang.org/x/mod/sumdb/{note,tlog}, from a web address or a
// folder: the checkpoint, every tile, every entry. Prints the size and the number of entries.
// Usage: log-reader <address or folder> <vkey>
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error, what string) {
	if err != nil {
		fmt.Println("refused:", what+":", err)
		os.Exit(1)
	}
}

var base string

func read(path string) ([]byte, error) {
	if !strings.HasPrefix(base, "http") {
		return os.ReadFile(base + "/" + path)
	}
	answer, err := http.Get(base + "/" + path)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, answer.Status)
	}
	return io.ReadAll(answer.Body)
}

type tiles struct{}

func (tiles) Height() int { return 8 }
func (tiles) ReadTiles(asked []tlog.Tile) ([][]byte, error) {
	var out [][]byte
	for _, t := range asked {
		// The paths of C2SP leave out the height.
		b, err := read(strings.Replace(t.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	base = os.Args[1]
	verifier, err := note.NewVerifier(os.Args[2])
	must(err, "vkey")
	b, err := read("checkpoint")
	must(err, "checkpoint")
	opened, err := note.Open(b, note.VerifierList(verifier))
	must(err, "note")
	lines := strings.Split(opened.Text, "\n")
	root, err := tlog.ParseHash(lines[2])
	must(err, "root")
	tree := tlog.Tree{Hash: root}
	fmt.Sscan(lines[1], &tree.N)
	reader := tlog.TileHashReader(tree, tiles{})
	count := 0
	for n := int64(0); n*256 < tree.N; n++ {
		width := tree.N - n*256
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: n, W: int(width)}
		bundle, err := read(strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		must(err, "bundle")
		var places []int64
		var leaves []tlog.Hash
		for i := n * 256; len(bundle) > 0; i++ {
			length := int(bundle[0])<<8 | int(bundle[1])
			leaves = append(leaves, tlog.RecordHash(bundle[2:2+length]))
			places = append(places, tlog.StoredHashIndex(0, i))
			bundle = bundle[2+length:]
		}
		hashes, err := reader.ReadHashes(places)
		must(err, "tiles")
		for i := range hashes {
			if hashes[i] != leaves[i] {
				must(fmt.Errorf("entry %d is not the one under the checkpoint", n*256+int64(i)), "entry")
			}
			count++
		}
	}
	fmt.Println("accepted:", tree.N, count)
}
