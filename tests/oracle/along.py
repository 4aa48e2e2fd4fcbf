import sys

import numpy as np
import torch
import torch.nn.functional as F

z = np.load(sys.argv[1])
t = {n: torch.tensor(z[n], dtype=torch.float64, requires_grad=True)
     for n in ("x", "v", "strided.k", "dilated.k", "volume.k")}
x, v = t["x"], t["v"]


def conv(x, k, f, **how):
    """Channels last; kernels [sizes.., in, out]."""
    n = x.dim()
    first = (0, n - 1) + tuple(range(1, n - 1))
    last = (0,) + tuple(range(2, n)) + (1,)
    kernel = k.permute((n - 1, n - 2) + tuple(range(n - 2)))
    return f(x.permute(first), kernel, **how).permute(last)


want = {
    "strided": conv(x, t["strided.k"], F.conv2d, stride=2, padding=1),
    "dilated": conv(x, t["dilated.k"], F.conv2d, dilation=2, padding=2),
    "volume": conv(v, t["volume.k"], F.conv3d, padding=1),
    "pooled": F.max_pool2d(x.permute(0, 3, 1, 2), 3, 2, 1).permute(0, 2, 3, 1),
    "sums": torch.cumsum(x, 2),
    "joined": torch.cat([x, torch.sin(x)], 3),
}
want["values"], places = torch.topk(x, 3, 1)
assert (z["places"] == places.numpy()).all()
loss = sum((want[n] ** 2).sum() for n in ("strided", "dilated", "volume")) + sum(
    (want[n] ** 3).sum() for n in ("pooled", "sums", "values", "joined"))
loss.backward()
worst = 0.0
for n, value in list(want.items()) + [("grad." + n, p.grad) for n, p in t.items()]:
    dims = str(z[n.replace("grad.", "") + ".dims"]) if n + ".dims" in z else ""
    got, value = z[n], value.detach().numpy()
    assert got.shape == value.shape, (n, dims, got.shape, value.shape)
    worst = max(worst, abs(got - value).max() / max(1, abs(value).max()))
print(f"largest difference {worst:.1e}")
assert worst < 1e-10
