"""Models of this project in PyTorch, for gpu_steps.py: each takes its inputs and returns the loss."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def attend(q, k, v, grouped=False):
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    a = F.scaled_dot_product_attention(q, k, v, is_causal=True, **({"enable_gqa": True} if grouped else {}))
    return a.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, h):
        return self.o(attend(*(w(h).unflatten(2, (self.heads, -1)) for w in (self.q, self.k, self.v))))


class GptLayer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.ln2, self.attention = nn.LayerNorm(d), nn.LayerNorm(d), Attention(d, heads)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x)), approximate="tanh"))


class LlamaLayer(nn.Module):
    def __init__(self, d, heads, kv_heads, d_ff):
        super().__init__()
        self.head, self.ln1, self.ln2 = d // heads, nn.RMSNorm(d), nn.RMSNorm(d)
        self.q, self.o = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.k, self.v = (nn.Linear(d, kv_heads * self.head, bias=False) for _ in range(2))
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((d, d_ff), (d, d_ff), (d_ff, d)))

    def rotary(self, x):
        half = self.head // 2
        rates = 10000.0 ** (-torch.arange(half, device=x.device) / half)
        angles = torch.outer(torch.arange(x.shape[1], device=x.device), rates)[:, None, :]
        sin, cos, (a, b) = angles.sin(), angles.cos(), x.split(half, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)

    def forward(self, x):
        h = self.ln1(x)
        q, k, v = (w(h).unflatten(2, (-1, self.head)) for w in (self.q, self.k, self.v))
        x = x + self.o(attend(self.rotary(q), self.rotary(k), v, grouped=True))
        h = self.ln2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Experts(nn.Module):
    """Two of the experts for each position, by products with what says where it goes (GShard)."""

    def __init__(self, d, d_ff, experts, capacity):
        super().__init__()
        self.gate, self.capacity = nn.Linear(d, experts, bias=False), capacity
        self.up = nn.Parameter(torch.randn(experts, d, d_ff) * d**-0.5)
        self.down = nn.Parameter(torch.randn(experts, d_ff, d) * d_ff**-0.5)

    def forward(self, x):
        gates = self.gate(x).float().softmax(-1)
        best, which = gates.topk(2)
        to = F.one_hot(which, gates.shape[-1])
        asked = to.sum(2)
        before = asked.cumsum(1) - asked
        place = (to * before[:, :, None]).sum(-1).clamp(max=self.capacity)
        slots, to = F.one_hot(place, self.capacity + 1)[..., :-1].to(x.dtype), to.to(x.dtype)
        sent = torch.einsum("blke,blkc->blec", to, slots)
        share = (best / best.sum(-1, keepdim=True)).to(x.dtype)
        back = torch.einsum("blk,blke,blkc->blec", share, to, slots)
        balance = gates.shape[-1] * (to[:, :, 0].float().mean(1) * gates.mean(1)).sum(-1).mean()
        h = torch.einsum("blec,bld->becd", sent, x)
        h = torch.einsum("becf,efd->becd", F.relu(torch.einsum("becd,edf->becf", h, self.up)), self.down)
        return torch.einsum("blec,becd->bld", back, h), balance


class MoePair(nn.Module):
    def __init__(self, d, heads, d_ff, experts, capacity):
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(d) for _ in range(4))
        self.one, self.two = Attention(d, heads), Attention(d, heads)
        self.up, self.down = nn.Linear(d, d_ff), nn.Linear(d_ff, d)
        self.experts = Experts(d, d_ff, experts, capacity)

    def forward(self, x):
        x = x + self.one(self.norms[0](x))
        x = x + self.down(F.relu(self.up(self.norms[1](x))))
        x = x + self.two(self.norms[2](x))
        h, balance = self.experts(self.norms[3](x))
        return x + h, balance


class Language(nn.Module):
    """Layers between an embedding and the cross entropy; the first `again` layers are computed again."""

    def __init__(self, layers, d, vocab, norm, length=0, tied=False, again=0):
        super().__init__()
        self.layers, self.norm, self.again = nn.ModuleList(layers), norm(d), again
        self.wte, self.wpe = nn.Embedding(vocab, d), nn.Embedding(length, d) if length else None
        self.out = self.wte if tied else nn.Linear(d, vocab, bias=False)

    def forward(self, tok, nxt):
        x = self.wte(tok) + (self.wpe.weight if self.wpe else 0)
        more = 0.0
        for i, layer in enumerate(self.layers):
            x = checkpoint(layer, x, use_reentrant=False) if i < self.again else layer(x)
            if isinstance(x, tuple):
                x, more = x[0], more + x[1]
        logits = F.linear(self.norm(x), self.out.weight)
        return F.cross_entropy(logits.float().flatten(0, 1), nxt.flatten()) + 0.01 * more


class Conv(nn.Sequential):
    def __init__(self, c, out, size=1, stride=1):
        super().__init__(nn.Conv2d(c, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out))


class Bottleneck(nn.Module):
    def __init__(self, c, thin, wide, stride=1):
        super().__init__()
        out = 4 * thin
        self.one, self.two, self.three = Conv(c, thin), Conv(thin, wide, 3, stride), Conv(wide, out)
        self.skip = Conv(c, out, 1, stride) if c != out or stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.skip(x) + self.three(F.relu(self.two(F.relu(self.one(x))))))


class ResNet(nn.Module):
    def __init__(self, filters, width, blocks=(3, 4, 6, 3), classes=1000):
        super().__init__()
        parts, c = [Conv(3, filters, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], filters
        for stage, count in enumerate(blocks):
            thin = filters << stage
            for i in range(count):
                parts.append(Bottleneck(c, thin, width * thin, 2 if stage and not i else 1))
                c = 4 * thin
        self.body, self.logits = nn.Sequential(*parts), nn.Linear(c, classes)

    def forward(self, image, label):
        return F.cross_entropy(self.logits(self.body(image).mean((2, 3))).float(), label)


def gpt(layers, d_model, heads, length, vocab, again=0):
    return Language([GptLayer(d_model, heads) for _ in range(layers)], d_model, vocab, nn.LayerNorm, length, True, again)


def llama(layers, d_model, heads, kv_heads, d_ff, vocab, length, again=0):
    some = [LlamaLayer(d_model, heads, kv_heads, d_ff) for _ in range(layers)]
    return Language(some, d_model, vocab, nn.RMSNorm, again=again)


def moe(pairs, d_model, heads, experts, length, vocab, again=0):
    some = [MoePair(d_model, heads, 4 * d_model, experts, 4 * length // experts) for _ in range(pairs)]
    return Language(some, d_model, vocab, nn.RMSNorm, again=again)


def resnet(filters, width=1):
    return ResNet(filters, width)
