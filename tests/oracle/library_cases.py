"""The cases of library.py. References are written from the papers' formulas, with axes by position."""
import math
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F

PROLOGUE = """
use "nn.mtf"
use "transformer.mtf"
dim batch = 4, length = 8, memory = length, source = 6, d = 12, e = 10
dim heads = 4, d_head = 5, queries = 3, hidden = 14, d_ff = hidden, vocab = 16, layers = 2
input x[batch, length, d] from gaussian(seed=1)
input far[batch, source, d] from gaussian(seed=2)
input ids[batch, length]: int from gaussian_labels(seed=3, classes=vocab)
input few[batch, length]: int from gaussian_labels(seed=4, classes=3)
input see[batch, source]: int from gaussian_labels(seed=5, classes=4)
dim row = 8, col = 6, c = 5, row2 = 4, col2 = 3, depth = 4, half = 4
input image[batch, row, col, c] from gaussian(seed=6)
input volume[batch, depth, row, col, c] from gaussian(seed=7)
"""


@dataclass
class Case:
    name: str
    dims: str  # of y
    program: str
    names: str  # floats, whose gradients are compared
    reference: Callable
    fixed: str = ""  # ints
    training: bool = False


# --- references ---------------------------------------------------------------------------------


def dense(p, at, x, bias=True):
    y = x @ p[at + ".w"]
    return y + p[at + ".b"] if bias else y


def gated(p, at, x, act):
    return act(x @ p[at + ".g"]) * (x @ p[at + ".w"])


def gelu(x):
    return F.gelu(x, approximate="tanh")


def gated_ffn(act):
    return lambda p: gated(p, "f.wi", p["x"], act) @ p["f.wo.w"]


def rms(x, gain):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gain


def weights(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -math.inf), -1)


def heads_first(x, w):
    """[b, l, d] and [d, h, e] to [b, h, l, e], by plain matrix products."""
    d, h, e = w.shape
    return (x @ w.reshape(d, h * e)).reshape(*x.shape[:2], h, e).transpose(1, 2)


def merge_heads(o, w):
    """[b, h, l, e] and [h, e, d] to [b, l, d]."""
    h, e, d = w.shape
    return o.transpose(1, 2).reshape(o.shape[0], -1, h * e) @ w.reshape(h * e, d)


def attention(p, at, x, m, mask, bias=0):
    q, k, v = heads_first(x, p[at + ".wq"]), heads_first(m, p[at + ".wk"]), heads_first(m, p[at + ".wv"])
    a = weights(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + bias, mask)
    return merge_heads(a @ v, p[at + ".wo"])


def multi_query(p):
    q = heads_first(p["x"], p["a.wq"])
    k, v = (p["x"] @ p[w] for w in ("a.wk", "a.wv"))  # [b, m, e], the same for every head
    a = weights(q @ k[:, None].transpose(-1, -2) / math.sqrt(5), causal(8))
    return merge_heads(a @ v[:, None], p["a.wo"])


def grouped(p):
    out = 0
    for h in range(4):
        k, v = p["x"] @ p["a.wk"][:, h], p["x"] @ p["a.wv"][:, h]
        for i in range(3):
            q = p["x"] @ p["a.wq"][:, h, i]
            a = weights(q @ k.transpose(-1, -2) / math.sqrt(5), causal(8))
            out = out + a @ v @ p["a.wo"][h, i]
    return out


def causal(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def bucket(ahead, buckets, far, bidirectional):
    """The bucket of key position - query position: the thresholds found by counting."""
    side = buckets // 2 if bidirectional else buckets
    exact = side // 2
    n = abs(ahead) if bidirectional else max(-ahead, 0)
    if n >= exact:
        # wide bucket i begins at exact * (far / exact)^(i / (side - exact))
        begins = [exact * (far / exact) ** (i / (side - exact)) for i in range(side - exact)]
        n = exact + sum(n >= b - 1e-9 for b in begins) - 1
    return n + (side if bidirectional and ahead > 0 else 0)


def relative_bias(table, buckets, far, bidirectional, q, k):
    which = [[bucket(j - i, buckets, far, bidirectional) for j in range(k)] for i in range(q)]
    return table[torch.tensor(which)].permute(2, 0, 1)  # [heads, q, k]


def sinusoids(at, d):
    out = torch.zeros(len(at), d, dtype=torch.float64)
    for row, position in enumerate(at):
        for i in range(0, d, 2):
            angle = position / 10000 ** (i / d)
            out[row, i] = math.sin(angle)
            out[row, i + 1] = math.cos(angle)
    return out


def rotary(x, at, base):
    """Pairs (i, i + d / 2) as complex numbers, turned by at / base^(2 i / d)."""
    half = x.shape[-1] // 2
    angles = torch.outer(at.double(), base ** (-torch.arange(half).double() / half))
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], -1)


def stack(p, at, x, mask, bias=0, source=None, act=F.relu):
    for i in range(2):
        own = f"{at}.layers.{i}."
        h = rms(x, p[own + "ln1.g"])
        x = x + attention(p, own + "attn", h, h, mask, bias)
        last = "ln2.g"
        if source is not None:
            x = x + attention(p, own + "cross", rms(x, p[own + "ln2.g"]), *source)
            last = "ln3.g"
        x = x + act(rms(x, p[own + last]) @ p[own + "ffn.wi.w"]) @ p[own + "ffn.wo.w"]
    return rms(x, p[at + ".norm.g"])


def stack_names(at, cross=False):
    names = [at + ".norm.g"]
    for i in range(2):
        own = f"{at}.layers.{i}."
        names += [own + n for n in ("ln1.g", "ln2.g", "ffn.wi.w", "ffn.wo.w")]
        names += [own + "attn." + w for w in ("wq", "wk", "wv", "wo")]
        if cross:
            names += [own + "ln3.g"] + [own + "cross." + w for w in ("wq", "wk", "wv", "wo")]
    return " ".join(names)


def embedded_and_tied(p):
    h = p["t.table"][p["ids"].long()]
    return torch.tanh(h) @ p["t.table"].T / math.sqrt(12)


def smoothed_loss(p):
    """Label smoothing and z-loss, element by element from their definitions."""
    logits = p["x"] @ p["o.w"]
    z = torch.log(torch.exp(logits).sum(-1))
    target = torch.full_like(logits, 0.1 / 16)
    target.scatter_add_(-1, p["ids"].long()[..., None], torch.full_like(logits[..., :1], 0.9))
    return -(target * (logits - z[..., None])).sum(-1) + 1e-2 * z * z


def convolved(conv, x, kernel, **how):
    """torch's convolution on channels-last data and a kernel [size ..., in, out]."""
    last = kernel.ndim - 1
    w = kernel.permute(last, last - 1, *range(last - 1))
    return conv(x.movedim(-1, 1), w, **how).movedim(1, -1)


def causal_conv(p):
    x = F.pad(p["x"], (0, 0, 4, 0))  # two steps of dilation 2 before the start
    return convolved(F.conv1d, x, p["n.k"], dilation=2)


def pooled(pool, **how):
    return lambda p: pool(p["image"].movedim(-1, 1), **how).movedim(1, -1)


def batch_normed(p):
    return F.batch_norm(p["image"].movedim(-1, 1), None, None, p["n.g"], p["n.b"], True,
                        eps=1e-5).movedim(1, -1)


ATTENTION = "a.wq a.wk a.wv a.wo"
MASKED = "y = attention@a(x, x[length -> memory], {}, kv=memory over d)"


def masked(mask):
    return lambda p: attention(p, "a", p["x"], p["x"], mask(p))


def experts(p, chosen=2):
    """One position after the other: `chosen` of five experts, of which each takes three. The weights of GShard, arXiv
    2006.16668, for two, and of Switch, arXiv 2101.03961, for one. The balance is of all."""
    x, places = p["x"], 3
    gate = torch.softmax(x @ p["m.gate.w"], -1)
    best, which = gate.topk(chosen, -1)
    share = best if chosen == 1 else best / best.sum(-1, keepdim=True)
    rows = []
    for b in range(4):
        taken, parts = [0] * 5, [torch.zeros(12, dtype=x.dtype) for _ in range(8)]
        for position in range(8):
            for choice in range(chosen):
                e = int(which[b, position, choice])
                taken[e] += 1
                if taken[e] <= places:
                    h = F.relu(x[b, position] @ p["m.experts.wi"][e]) @ p["m.experts.wo"][e]
                    parts[position] = parts[position] + share[b, position, choice] * h
        rows.append(torch.stack(parts))
    asked = F.one_hot(which[:, :, 0], 5).to(x.dtype).mean(1)
    return torch.stack(rows) + 5 * (asked * gate.mean(1)).sum(-1).mean()


def segments(p):
    s = p["few"]
    return ((s[:, :, None] == s[:, None, :]) & (s[:, None, :] != 0))[:, None] | (s == 0)[:, None, :, None]


CASES = [
    Case("dense", "batch, length, e", "y = dense(x over d -> e)", "x dense.w dense.b",
         lambda p: dense(p, "dense", p["x"])),
    Case("dense to the same dimension", "batch, length, d", "y = dense(x, bias=false over d -> d)",
         "x dense.w", lambda p: p["x"] @ p["dense.w"]),
    Case("gated_dense", "batch, length, e", "y = gated_dense(x over d -> e)",
         "x gated_dense.w gated_dense.g", lambda p: gated(p, "gated_dense", p["x"], torch.sigmoid)),
    Case("ffn", "batch, length, d", 'y = ffn@f(x, act="gelu" over d)', "x f.wi.w f.wo.w",
         lambda p: gelu(p["x"] @ p["f.wi.w"]) @ p["f.wo.w"]),
    Case("glu", "batch, length, d", "y = glu@f(x over d)", "x f.wi.w f.wi.g f.wo.w",
         gated_ffn(torch.sigmoid)),
    Case("geglu", "batch, length, d", "y = geglu@f(x over d)", "x f.wi.w f.wi.g f.wo.w",
         gated_ffn(gelu)),
    Case("swiglu", "batch, length, d", "y = swiglu@f(x over d)", "x f.wi.w f.wi.g f.wo.w",
         gated_ffn(F.silu)),
    Case("activation", "batch, length, d",
         'y = activation(x, "tanh") + activation(x, "linear") + activation(x, "relu")', "x",
         lambda p: torch.tanh(p["x"]) + p["x"] + F.relu(p["x"])),
    Case("layer_norm", "batch, length, d", "y = layer_norm@n(x over d)", "x n.g n.b",
         lambda p: F.layer_norm(p["x"], (12,), p["n.g"], p["n.b"], 1e-5)),
    Case("rms_norm", "batch, length, d", "y = rms_norm@n(x over d)", "x n.g",
         lambda p: rms(p["x"], p["n.g"])),
    Case("dropout outside training", "batch, length, d", "y = dropout(x, 0.4)", "x", lambda p: p["x"]),
    Case("embedding", "batch, length, d", "y = embedding@t(ids -> d)", "t.table",
         lambda p: p["t.table"][p["ids"].long()], "ids"),
    Case("tied embedding", "batch, length, vocab",
         "h, table = tied_embedding@t(ids -> d)\ny = tied_logits(tanh(h), table over d)", "t.table",
         embedded_and_tied, "ids"),
    Case("learned positions", "batch, length, d", "y = x + learned_positions@p(-> length, d)",
         "x p.table", lambda p: p["x"] + p["p.table"]),
    Case("sinusoidal positions", "batch, length, d",
         "y = x + sinusoidal_positions(100 * index(length) -> d)", "x",
         lambda p: p["x"] + sinusoids([100 * i for i in range(8)], 12)),
    Case("rotary positions", "batch, length, d", "y = rotary(x, 100 * index(length), 500 over d)", "x",
         lambda p: rotary(p["x"], 100 * torch.arange(8), 500.0)),
    Case("attention", "batch, length, d", "y = attention@a(x, far, kv=source over d)",
         "x far " + ATTENTION,
         lambda p: attention(p, "a", p["x"], p["far"], torch.ones(8, 6, dtype=torch.bool))),
    Case("causal mask", "batch, length, d", MASKED.format("causal_mask(over length -> memory)"),
         "x " + ATTENTION, masked(lambda p: causal(8))),
    Case("prefix mask", "batch, length, d", "prefix = few[length = 0]\n" +
         MASKED.format("prefix_mask(prefix over length -> memory)"), "x " + ATTENTION,
         masked(lambda p: causal(8) | (torch.arange(8) < p["few"][:, 0, None])[:, None, None]), "few"),
    Case("padding mask", "batch, length, d",
         "pad = where(index(length) == 0, 1, few)\n" +
         MASKED.format("padding_mask(pad over length -> memory)"), "x " + ATTENTION,
         masked(lambda p: (p["pad"] != 0)[:, None, None]), "pad"),
    # Rows of segment 0 see nothing; what they hold is nobody's business, so they are left out of y.
    Case("segment mask", "batch, length, d",
         MASKED.format("segment_mask(few over length -> memory)") + "\ny = where(few != 0, y, 0)",
         "x " + ATTENTION,
         lambda p: attention(p, "a", p["x"], p["x"], segments(p)) * (p["few"] != 0)[..., None], "few"),
    Case("window mask", "batch, length, d", MASKED.format("window_mask(3 over length -> memory)"),
         "x " + ATTENTION, masked(lambda p: causal(8) & ~causal(8).tril(-3))),
    Case("multi-query attention", "batch, length, d",
         "see_mask = causal_mask(over length -> memory)\n"
         "y = multi_query_attention@a(x, x[length -> memory], see_mask, kv=memory over d)",
         "x " + ATTENTION, multi_query),
    Case("grouped attention", "batch, length, d",
         "see_mask = causal_mask(over length -> memory)\n"
         "y = grouped_attention@a(x, x[length -> memory], see_mask, kv=memory over d)",
         "x " + ATTENTION, grouped),
    Case("relative bias, both sides", "heads, length, memory",
         "y = relative_bias@r(buckets=8, far=6 over length -> memory)", "r.table",
         lambda p: relative_bias(p["r.table"], 8, 6, True, 8, 8)),
    Case("relative bias, causal", "heads, length, memory",
         "y = relative_bias@r(buckets=6, far=7, bidirectional=false over length -> memory)", "r.table",
         lambda p: relative_bias(p["r.table"], 6, 7, False, 8, 8)),
    Case("relative bias of T5", "heads, long, back",
         "dim long = 300, back = long\ny = relative_bias@r(over long -> back)", "r.table",
         lambda p: relative_bias(p["r.table"], 32, 128, True, 300, 300)),
    Case("stack", "batch, length, d",
         "bias = relative_bias@r(over length -> memory)\n"
         "y = transformer@t(x, causal_mask(over length -> memory), bias=bias over d)",
         "x r.table " + stack_names("t"),
         lambda p: stack(p, "t", p["x"], causal(8), relative_bias(p["r.table"], 32, 128, True, 8, 8))),
    Case("decoder", "batch, length, d",
         "y = decoder@t(x, far, causal_mask(over length -> memory), see != 0 or index(source) == 0 over d)",
         "x far " + stack_names("t", True),
         lambda p: stack(p, "t", p["x"], causal(8),
                         source=(p["far"], ((p["see"] != 0) | (torch.arange(6) == 0))[:, None, None])),
         "see"),
    # The same as attention under a mask, though computed in blocks of 4 with a look back into the last.
    Case("local attention", "batch, length, d", "y = local_attention@a(x, 4 over d)",
         "x " + ATTENTION, masked(lambda p: causal(8) & ~causal(8).tril(-4))),
    Case("mixture of experts", "batch, length, d",
         "dim experts = 5, chosen = 2, capacity = 3\n"
         "y, balance = mixture_of_experts@m(x over length, d)\ny = y + balance",
         "x m.gate.w m.experts.wi m.experts.wo", experts),
    Case("one expert each", "batch, length, d",
         "dim experts = 5, chosen = 1, capacity = 3\n"
         "y, balance = mixture_of_experts@m(x over length, d)\ny = y + balance",
         "x m.gate.w m.experts.wi m.experts.wo", lambda p: experts(p, 1)),
    Case("conv1d", "batch, half, e", "y = conv1d@n(x, size=4, stride=2 over length, d -> half, e)",
         "x n.k", lambda p: convolved(F.conv1d, p["x"], p["n.k"], stride=2, padding=1)),
    Case("causal conv1d", "batch, length, d",
         "y = conv1d@n(x, dilation=2, causal=true over length, d -> length, d)", "x n.k", causal_conv),
    Case("conv2d", "batch, row2, col2, e",
         "y = conv2d@n(image, stride=2 over row, col, c -> row2, col2, e)", "image n.k",
         lambda p: convolved(F.conv2d, p["image"], p["n.k"], stride=2, padding=1)),
    Case("dilated conv2d", "batch, row, col, c",
         "y = conv2d@n(image, dilation=2 over row, col, c -> row, col, c)", "image n.k",
         lambda p: convolved(F.conv2d, p["image"], p["n.k"], dilation=2, padding=2)),
    Case("conv3d", "batch, depth, row, col, e",
         "y = conv3d@n(volume over depth, row, col, c -> e)", "volume n.k",
         lambda p: convolved(F.conv3d, p["volume"], p["n.k"], padding=1)),
    Case("max_pool2d", "batch, row2, col2, c",
         "y = max_pool2d(image, size=3, stride=2, pad=1 over row, col -> row2, col2)", "image",
         pooled(F.max_pool2d, kernel_size=3, stride=2, padding=1)),
    Case("mean_pool2d", "batch, row2, col2, c", "y = mean_pool2d(image over row, col -> row2, col2)",
         "image", pooled(F.avg_pool2d, kernel_size=2)),
    Case("batch_norm in training", "batch, row, col, c", "y = batch_norm@n(image over c)",
         "image n.g n.b", batch_normed, training=True),
    Case("batch_norm before any training", "batch, row, col, c", "y = batch_norm@n(image over c)",
         "image n.g n.b", lambda p: p["image"] / math.sqrt(1 + 1e-5) * p["n.g"] + p["n.b"]),
    Case("label smoothing and z-loss", "batch, length",
         "logits = dense@o(x, bias=false over d -> vocab)\n"
         "y = cross_entropy(logits, ids, smoothing=0.1, z_loss=0.01 over vocab)", "x o.w",
         smoothed_loss, "ids"),
    # Three of the four sequences are given away, of the last one nearly all is wrong.
    Case("sequence accuracy", "batch, length, d",
         "dim three = 3\ngiven = one_hot(few -> three)\n"
         "guess = where(index(batch) < 3, given, broadcast(-given -> dims(given)))\n"
         "y = x + sequence_accuracy(guess, few over three)", "x",
         lambda p: p["x"] + 0.75, "few"),
]
