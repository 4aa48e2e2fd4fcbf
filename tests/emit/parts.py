# The data of parts.mtf, and for each rank of a mesh rows=2, cols=2 a copy in which what others read is not a number.
import os
import numpy as np
x = np.random.default_rng(1).normal(size=(32, 6)).astype(np.float32)
y = x.sum(1) / 4
np.save("x.npy", x), np.save("y.npy", y)
for rank in range(4):
    row, col = divmod(rank, 2)
    mine, label = np.full_like(x, np.nan), y.copy()
    mine[:, 3 * col:3 * col + 3] = x[:, 3 * col:3 * col + 3]
    for i in range(16, 32):  # evaluated: two batches of 8 in this order
        if (i - 16) % 8 // 4 != row: mine[i] = label[i] = np.nan
    os.mkdir(f"rank{rank}")
    np.save(f"rank{rank}/x.npy", mine), np.save(f"rank{rank}/y.npy", label)
