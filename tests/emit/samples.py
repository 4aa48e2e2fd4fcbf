"""Random samples as docs/emit-json.md describes them, by the published algorithms alone."""
from statistics import NormalDist  # its quantile is Wichura's AS 241, PPND16

import numpy as np

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def philox(key, counter):
    """Philox4x32-10 of Salmon et al.: four words each, as arrays of uint64 with 32 bits."""
    key, c = [np.uint64(k) for k in key], [np.asarray(w, np.uint64) for w in counter]
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(q >> HALF) ^ c[1] ^ key[0], q & LOW, (p >> HALF) ^ c[3] ^ key[1], p & LOW]
        key = [(k + np.uint64(w)) & LOW for k, w in zip(key, (0x9E3779B9, 0xBB67AE85))]
    return c


def words(key, step, number, plane):
    """The word of each of these numbers."""
    key, number = int(key, 16), np.asarray(number, np.uint64)
    at = number // np.uint64(4)
    constant = lambda word: np.full(number.shape, word, np.uint64)
    four = philox((key & 0xFFFFFFFF, key >> 32), (at & LOW, at >> HALF, constant(step), constant(plane)))
    return np.choose((number % np.uint64(4)).astype(int), four)


def quantile(q):
    return np.vectorize(NormalDist().inv_cdf, otypes=[float])(0.5 + q)


def sample(of, dtype, step, number):
    """Elements number `number` of a sample, in float64 (f32: before its last roundings), int or bool."""
    a, b, kind = of["a"], of["b"], of["distribution"]
    high, low = (words(of["key"], step, number, plane) for plane in (0, 1))
    if kind == "integers":
        return np.array([(int(h) << 32 | int(l)) * int(a) >> 64 for h, l in zip(high.flat, low.flat)]).reshape(high.shape)
    if kind == "bernoulli":
        return high.astype(float) < a * 2.0**32
    wide = dtype == "f64"
    if kind == "uniform":
        share = ((high << np.uint64(21)) + (low >> np.uint64(11))) / 2.0**53 if wide else (high >> np.uint64(8)) / 2.0**24
        return a + share * (b - a)
    n = high & np.uint64(0x7FFFFFFF)
    u = ((n << np.uint64(20)) + (low >> np.uint64(12)) + 0.5) / 2.0**51 if wide else (n + 0.5) / 2.0**31
    size = quantile(u * 0.5) * a if kind == "normal" else quantile(u * 0.47724986805182079) * (a / 0.87962566103423978)
    return np.where(high >> np.uint64(31), -size, size)
