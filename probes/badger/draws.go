package main

import (
	"math"
	"math/rand/v2"
)

// draw gives ranks from 0 to n-1, most frequent first.
type draw interface{ next(random *rand.Rand) int64 }

type uniform struct{ n int64 }

func (u uniform) next(random *rand.Rand) int64 { return random.Int64N(u.n) }

// hotSet asks one of the first keys with the given share, else one of the others.
type hotSet struct {
	n, hot int64
	share  float64
}

func (h hotSet) next(random *rand.Rand) int64 {
	if h.hot == h.n || random.Float64() < h.share {
		return random.Int64N(h.hot)
	}
	return h.hot + random.Int64N(h.n-h.hot)
}

// zipf draws rank k (from 1) with a probability proportional to k^-exponent, for any exponent above 0, by
// rejection-inversion (Hörmann and Derflinger 1996): constant memory, about one draw per rank.
type zipf struct {
	n                       float64
	exponent, hFirst, hLast float64
	threshold               float64
}

func newZipf(n int64, exponent float64) *zipf {
	z := &zipf{n: float64(n), exponent: exponent}
	z.hFirst = z.integral(1.5) - 1
	z.hLast = z.integral(z.n + 0.5)
	z.threshold = 2 - z.inverse(z.integral(2.5)-z.weight(2))
	return z
}

func (z *zipf) next(random *rand.Rand) int64 {
	for {
		u := z.hLast + random.Float64()*(z.hFirst-z.hLast)
		x := z.inverse(u)
		k := math.Min(math.Max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.threshold || u >= z.integral(k+0.5)-z.weight(k) {
			return int64(k) - 1
		}
	}
}

func (z *zipf) weight(x float64) float64 { return math.Exp(-z.exponent * math.Log(x)) }

// integral of the weight from 1 to x; stays exact near exponent 1, where the closed form is 0/0.
func (z *zipf) integral(x float64) float64 {
	logX := math.Log(x)
	return expm1Over((1-z.exponent)*logX) * logX
}

func (z *zipf) inverse(y float64) float64 {
	t := math.Max(y*(1-z.exponent), -1)
	return math.Exp(log1pOver(t) * y)
}

func expm1Over(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Expm1(x) / x
	}
	return 1 + x/2*(1+x/3)
}

func log1pOver(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Log1p(x) / x
	}
	return 1 - x*(0.5-x*(1.0/3-0.25*x))
}

// scatter maps ranks to keys one to one, so that popular keys do not lie side by side: a Feistel network over the
// smallest even number of bits that holds n, walked until it falls below n.
type scatter struct {
	n    uint64
	half uint
	keys [4]uint64
}

func newScatter(n int64, seed uint64) scatter {
	s := scatter{n: uint64(n), half: 1}
	for uint64(1)<<(2*s.half) < s.n {
		s.half++
	}
	for i := range s.keys {
		seed = mix(seed + uint64(i) + 1)
		s.keys[i] = seed
	}
	return s
}

func (s scatter) key(rank int64) int64 {
	mask := uint64(1)<<s.half - 1
	value := uint64(rank)
	for {
		left, right := value>>s.half, value&mask
		for _, key := range s.keys {
			left, right = right, left^(mix(right^key)&mask)
		}
		value = left<<s.half | right
		if value < s.n {
			return int64(value)
		}
	}
}

// mix is the finaliser of SplitMix64: every bit of the input moves every bit of the output.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
