package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestZipfDrawsEachRankAsOftenAsItsLawSays(t *testing.T) {
	const n, draws = 50, 400_000
	for _, exponent := range []float64{0.3, 0.8, 0.99, 1, 1.2, 2, 4} {
		law := newZipf(n, exponent)
		random := rand.New(rand.NewPCG(1, 2))
		seen := make([]float64, n)
		for range draws {
			seen[law.next(random)]++
		}
		total := 0.0
		for rank := 1; rank <= n; rank++ {
			total += math.Pow(float64(rank), -exponent)
		}
		squares := 0.0
		for rank := 1; rank <= n; rank++ {
			expected := draws * math.Pow(float64(rank), -exponent) / total
			if expected >= 5 {
				squares += (seen[rank-1] - expected) * (seen[rank-1] - expected) / expected
			} else if seen[rank-1] > expected+40 {
				t.Errorf("exponent %v: rank %d came %v times instead of %.1f", exponent, rank, seen[rank-1], expected)
			}
		}
		if squares > 112 { // chi-square with 49 degrees of freedom exceeds it once in a million
			t.Errorf("exponent %v: chi-square %.1f", exponent, squares)
		}
	}
}

func TestZipfStaysInRangeOverManyKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int64{1, 2, 1_000_000_000} {
		law := newZipf(n, 0.99)
		for range 10_000 {
			if rank := law.next(random); rank < 0 || rank >= n {
				t.Fatalf("rank %d of %d", rank, n)
			}
		}
	}
}

func TestScatterIsOneToOne(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 1000, 4097} {
		scattered := newScatter(n, 7)
		seen := make(map[int64]bool, n)
		for rank := range n {
			key := scattered.key(rank)
			if key < 0 || key >= n || seen[key] {
				t.Fatalf("rank %d of %d became %d, seen before: %v", rank, n, key, seen[key])
			}
			seen[key] = true
		}
	}
}

func TestHotSetKeepsItsShare(t *testing.T) {
	law := hotSet{n: 1000, hot: 100, share: 0.8}
	random := rand.New(rand.NewPCG(5, 6))
	hot := 0
	for range 100_000 {
		if law.next(random) < 100 {
			hot++
		}
	}
	if hot < 79_200 || hot > 80_800 {
		t.Errorf("%d of 100000 were hot", hot)
	}
}
