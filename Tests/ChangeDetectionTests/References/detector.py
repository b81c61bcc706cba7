# SPDX-License-Identifier: Apache-2.0
"""Level changes of nightly series by another road: docs/NIGHTLY.md, "How a change is found", in NumPy.

Written first and on its own, against simulated years; the module's tests hold it against what this finds.
`python3 detector.py` reads detector.json beside it, of each series a value a day (null where a day has no night), and
writes it anew with its answers in `expected`. NumPy is all that it needs.
"""
import math
import numpy as np

# ---- settings -------------------------------------------------------------------------------
P = dict(
    alpha=1.5e-4,      # 0 chance of a change by noise that is told
    weak=1.5e-2,       # 1 the same for a second look
    pen=2.1,           # 2 squares (deviations^2), times log n, that a step must explain while the noise is sought
    margin=6.0,        # 3 by how much (squares) a step must explain more than a line ...
    beside=4.0,        # 4 ... or deviations beside the line
    bound=4.0,         # 5 what one night may add, deviations of an innovation
    fewest=3.0,        # 6 nights of a level
    rel=0.0, absol=0.0, sigmas=3.0,  # 7-9 MinimumEffect
    trial=1.0,         # 10 exponent of the trials factor
    pool=2.0,          # 11 nights' worth of the series' deviation beside one side's own
    localw=15.0,       # 12 nights of local scatter (and three times as many)
    least=0.02,        # 13 weight of a noise model that is asked at all
    reach=150.0,       # 14 nights compared on either side
    forward=8.0,       # 15 squares of a proposed step
)
def settings(**kw):
    q = dict(P); q.update(kw); return np.array([float(v) for v in q.values()])

# Noise models: phi a night, share of the wandering part in a night's variance, log prior.
GRID = np.array([
    [0.0, 0.0, 0.0],
    [0.3, 1.0, -0.9], [0.5, 1.0, -3.0], [0.7, 1.0, -4.5], [0.85, 1.0, -7.5],
    [0.9, 0.15, -3.5], [0.9, 0.4, -3.5], [0.9, 0.75, -3.5], [0.97, 0.4, -3.5],
])

# ---- statistics ------------------------------------------------------------------------------------------------
def huber(res):
    """Huber's proposal 2 about 0, c = 2."""
    n = len(res)
    if n == 0: return 0.0
    q = np.sort(res * res)
    total = q.sum()
    for beyond in range(n):
        rest = n * 0.9205369256363232 - beyond * 4.0
        if rest <= 0: break
        v = total / rest
        if q[n - 1 - beyond] <= 4.0 * v: return math.sqrt(max(v, 0.0))
        total -= q[n - 1 - beyond]
    return 0.0

def _frac(x, a, b):
    tiny = 1e-300
    c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    if abs(d) < tiny: d = tiny
    d = 1 / d; r = d
    for m in range(1, 300):
        e = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
        d = 1 + e * d
        if abs(d) < tiny: d = tiny
        d = 1 / d
        c = 1 + e / c
        if abs(c) < tiny: c = tiny
        r *= d * c
        e = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
        d = 1 + e * d
        if abs(d) < tiny: d = tiny
        d = 1 / d
        c = 1 + e / c
        if abs(c) < tiny: c = tiny
        r *= d * c
        if abs(d * c - 1) < 1e-12: break
    return r

def student_tails(t, nu):
    s = t * t
    if s > 1e12: return 0.0
    x = nu / (nu + s); y = s / (nu + s); a = 0.5 * nu; b = 0.5
    if y <= 0: return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y))
    if x < (a + 1) / (a + b + 2): return front * _frac(x, a, b) / a
    return 1 - front * _frac(y, b, a) / b

# ---- what disturbs taken away -----------------------------------------------------------------------
def running_median(v, w):
    n = len(v); out = np.empty(n)
    for i in range(n):
        s = min(max(i - w // 2, 0), n - w)
        out[i] = np.sort(v[s:s + w])[w // 2]
    return out

def weekly_offsets(days, v):
    off = np.zeros(7)
    n = len(v)
    if n < 28: return off
    d = v - running_median(v, 7)
    med = np.zeros(7); cnt = np.zeros(7)
    rest = np.empty(n)
    for g in range(7):
        m = (days % 7) == g
        cnt[g] = m.sum()
        if cnt[g] == 0: return off
        med[g] = np.median(d[m])
    for i in range(n): rest[i] = d[i] - med[days[i] % 7]
    mean = med.mean()
    s = huber(rest)
    strength = 0.0
    for g in range(7): strength += cnt[g] * (med[g] - mean) ** 2
    if strength > 30.0 * 0.5 * math.pi * s * s:
        return med - mean
    return off

def lone_outliers(v, quantum):
    """kept mask and the shares of outliers above and below; the newest 4 nights do not speak for the shares."""
    n = len(v); w = 5
    kept = np.ones(n, np.bool_); up = 1.0 / (n + 2); dn = up
    newest = 4
    while n >= w:
        med = running_median(v, w)
        if w > 5:
            nar = running_median(v, 5)
            for i in range(w // 2):
                med[i] = nar[i]; med[n - 1 - i] = nar[n - 1 - i]
        res = v - med
        b = 4.0 * max(huber(res), 0.5 * quantum)
        for _ in range(2):
            b = 4.0 * max(huber(res[np.abs(res) <= b]), 0.5 * quantum)
        kept = np.abs(res) <= b
        old = max(n - newest, 1)
        a = (res[:old] > b).sum(); c = (res[:old] < -b).sum()
        up = (a + 1.0) / (n + 2); dn = (c + 1.0) / (n + 2)
        share = (a + c) / old
        want = 9 if share > 0.07 else (7 if share > 0.035 else 5)
        if want <= w: break
        w += 2
    return kept, up, dn

def run_chance(v, lo, hi, above, middle, share):
    m = hi - lo
    if m > 30: return 0.0
    seen = 0
    for i in range(lo, hi):
        if (v[i] > middle) == above: seen += 1
    term = share ** m; tot = term
    o = m
    while o > seen:
        term *= o / (m - o + 1.0) * (1 - share) / share
        tot += term
        o -= 1
    return min(tot, 1.0)

RIDGE = (3.65/6)**2   # prior of a slope: 6 deviations a year; per 100 nights

# ---- filter ----------------------------------------------------------------------------------------------------
def gains(t, phi, rho, a, b):
    """Of the nights a..<b of unit variance: variance F of a prediction, gain K, link to the next night."""
    m = b - a
    F = np.empty(m); K = np.empty(m); L = np.empty(m)
    P = rho; R = 1 - rho
    for i in range(m):
        F[i] = P + R
        K[i] = P/F[i]
        L[i] = 0.0
        if a + i + 1 < b and phi > 0:
            g = t[a+i+1] - t[a+i]
            L[i] = phi if g < 1.5 else phi**g
            P = L[i]*L[i]*P*(1 - K[i]) + rho*(1 - L[i]*L[i])
        else:
            P = rho
    return F, K, L

def filtered(y, F, K, L):
    """Prediction errors of y (its level known to be 0)."""
    e = np.empty(len(y)); m = 0.0
    for i in range(len(y)):
        e[i] = y[i] - m
        m = L[i]*(m + K[i]*e[i])
    return e

def scan(x, t, phi, rho, a, b):
    """A step at every place of a..<b: size, variance (of unit nights), squares explained; the same beside a line;
    what the line explains; the level's precision. Result G[4, b - a], line, slope, cc."""
    m = b - a
    F, K, L = gains(t, phi, rho, a, b)
    G = np.zeros((4, m))
    mc = 0.0; ml = 0.0; my = 0.0
    c = np.empty(m); l = np.empty(m); y = np.empty(m)
    cc = 0.0; cl = 0.0; cy = 0.0; ll = 0.0; ly = 0.0
    mid = t[(a + b)//2]; xm = x[(a + b)//2]
    for i in range(m):
        c[i] = 1 - mc; mc = L[i]*(mc + K[i]*c[i])
        l[i] = 0.01*(t[a+i] - mid) - ml; ml = L[i]*(ml + K[i]*l[i])
        y[i] = x[a+i] - xm - my; my = L[i]*(my + K[i]*y[i])
        h = 1/F[i]
        cc += c[i]*c[i]*h; cl += c[i]*l[i]*h; cy += c[i]*y[i]*h; ll += l[i]*l[i]*h; ly += l[i]*y[i]*h
    ll += RIDGE - cl*cl/cc; ly -= cl*cy/cc
    line = ly*ly/ll if ll > 0 else 0.0
    pc = 0.0; qc = 0.0; pl = 0.0; ql = 0.0; py = 0.0; qy = 0.0; al = 0.0; be = 0.0; ga = 0.0
    for i in range(m - 1, 0, -1):
        A = L[i]*K[i]; B = L[i] - A; h = 1/F[i]
        f = c[i]*h; pc = f + pc - qc*A; qc = f + qc*B
        f = l[i]*h; pl = f + pl - ql*A; ql = f + ql*B
        f = y[i]*h; py = f + py - qy*A; qy = f + qy*B
        al = h + al - 2*be*A + ga*A*A
        be = h + be*B - ga*A*B
        ga = h + ga*B*B
        s1 = al - pc*pc/cc; y1 = py - pc*cy/cc; l1 = pl - pc*cl/cc
        if s1 > 1e-9:
            G[0, i] = y1/s1; G[1, i] = 1/s1; G[2, i] = y1*y1/s1
            if ll > 0:
                s2 = s1 - l1*l1/ll; y2 = y1 - l1*ly/ll
                if s2 > 1e-6*s1: G[3, i] = y2*y2/s2
    return G, line, ly/ll if ll > 0 else 0.0, cc, xm + cy/cc

def best_split(x, t, phi, rho, a, b, few, thr, lines):
    """Best place and what it explains; beside a line where that explains more than any step."""
    if b - a < 2*few: return -1, 0.0, False
    G, line, slope, cc, level = scan(x, t, phi, rho, a, b)
    k1 = few + np.argmax(G[2, few:b - a - few + 1])
    if lines and line > G[2, k1] and line > thr:
        k2 = few + np.argmax(G[3, few:b - a - few + 1])
        return a + k2, 0.5*G[3, k2], True
    return a + k1, G[2, k1], False

def divide(x, t, phi, rho, few, thr, seeds, lines):
    """Binary segmentation; where a stretch shows no step, its parts of half the length, half overlapping, too."""
    n = len(x)
    stack = [(0, n)]
    used = False
    out = [0]
    out.pop()
    while len(stack) > 0:
        a, b = stack.pop()
        k, g, byline = best_split(x, t, phi, rho, a, b, few, thr, lines)
        used = used or byline
        if seeds and g < thr:
            m = (b - a)//2
            while m >= 16 and g < thr:
                e = b
                while e - m >= a:
                    kk, gg, byline = best_split(x, t, phi, rho, e - m, e, few, thr, lines)
                    if kk >= 0 and gg > g: k = kk; g = gg
                    e -= m//2
                m = m//2
        if k >= 0 and g >= thr:
            out.append(k)
            stack.append((a, k)); stack.append((k, b))
    out.sort()
    return out, used

def residuals(x, t, phi, rho, cuts, s2):
    """Standardised innovations of piecewise levels (with a line where one is sure), parameters, log determinants."""
    n = len(x); m = len(cuts)
    y = np.empty(n); p = 0; logdet = 0.0; lines = 0
    for j in range(m + 1):
        a = 0 if j == 0 else cuts[j-1]
        b = n if j == m else cuts[j]
        G, line, slope, cc, level = scan(x, t, phi, rho, a, b)
        mid = t[(a + b)//2]
        if b - a < 12 or line < 10*s2: slope = 0.0
        else: p += 1; lines += 1
        # the level beside the line: by the mean of the days, near enough
        mt = 0.0
        for i in range(a, b): mt += t[i] - mid
        mt = mt/(b - a)
        for i in range(a, b): y[i] = x[i] - level - slope*0.01*(t[i] - mid - mt)
        p += 1
        logdet += math.log(cc)
    F, K, L = gains(t, phi, rho, 0, n)
    e = filtered(y, F, K, L)/np.sqrt(F)
    return e, p, logdet + np.log(F).sum(), lines

def difference_scale(x, t, phi, rho):
    n = len(x)
    F, K, L = gains(t, phi, rho, 0, n)
    e = filtered(x - np.median(x), F, K, L)
    d = (e[1:] - e[:-1])/np.sqrt(F[1:])
    return huber(d[min(3, n - 4):])/math.sqrt(2.0)

def noise(x, t, least, q, grid):
    """Weights of the noise models, and the deviation of a night and free nights by each.

    For each the steps that it leaves and its restricted likelihood, both penalised."""
    n = len(x); few = int(q[6]); M = len(grid)
    pen = q[2]*math.log(n)
    C = np.empty(M); s = np.empty(M); nu = np.empty(M); drift = np.ones(M, np.bool_)
    # levels lie as wide as the values do; likelihoods of different numbers of levels depend on it
    unit = max(huber(x - np.median(x)), least)
    for j in range(M):
        phi = grid[j, 0]; rho = grid[j, 1]
        # rounding and measurement are white: what is new on a night scatters at least as much
        low = least/math.sqrt(gains(t, phi, rho, 0, n)[0].min())
        s0 = max(difference_scale(x, t, phi, rho), low)
        # a drift with few steps, or, where a line was asked for, a stair of steps without
        C[j] = np.inf
        for lines in (True, False):
            cuts, used = divide(x, t, phi, rho, few, (pen + math.log(n))*s0*s0, False, lines)
            e, p, ld, sloped = residuals(x, t, phi, rho, cuts, s0*s0)
            f = max(n - p, 1)
            sj = max(huber(e)*math.sqrt(n/f), low)
            c = 2*f*math.log(sj/unit) + ld + pen*(len(cuts) + 0.5*sloped) - 2*grid[j, 2]
            if c < C[j]:
                C[j] = c; s[j] = sj; nu[j] = f; drift[j] = lines
            if not used: break
    w = np.exp(-0.5*(C - C.min()))
    return w/w.sum(), s, nu, drift

# ---- tests -----------------------------------------------------------------------------------------------------
def scatter(e, k, s, q):
    """Deviation near a split: the series', or more where it scatters more here; e: standardised innovations."""
    pool = q[11]
    v = s*s
    for w in (int(q[12]), 3*int(q[12])):
        lo = e[max(0, k - w):k]; hi = e[k:min(len(e), k + w)]
        m = len(lo) + len(hi)
        if m > 12:
            l = 0.9*huber(np.concatenate((lo, hi)))
            v = max(v, l*l*m/(m - 2))
        for side in (lo, hi):
            c = len(side)
            if c > 1:
                own = (side*side).sum()*c/(c - 1.0) if c < 12 else huber(side)**2*c
                v = max(v, (pool*s*s + own)/(pool + c))
    return math.sqrt(v)

def bounded_score(x, t, phi, rho, level, k, lim, dev, var_level):
    """The nights from k on against the level before, no night adding more than lim deviations."""
    F, K, L = gains(t, phi, rho, 0, len(x))
    e = filtered(x - level, F, K, L)
    tot = 0.0; pw = 0.0; d = 0.0
    for i in range(k, len(x)):
        r = 1 - d; f = math.sqrt(F[i])
        tot += r/f*min(max(e[i]/f, -lim), lim)
        pw += r*r/F[i]
        d = L[i]*(d + K[i]*r)
    return tot/pw/(dev*math.sqrt(1/pw + var_level))

def test(x, t, u2, vall, kidx, a, k, b, w, ss, nus, up, dn, q, grid):
    """Chance of the split by noise (2 where it does not matter or is a drift), size, deviation: averaged over the models."""
    a0 = max(a, k - int(q[14])); b0 = min(b, k + int(q[14]))
    xs = x[a0:b0]; ts = t[a0:b0]; kk = k - a0; m = b0 - a0
    score = 0.0; nu = 0.0; size = 0.0; var = 0.0; ok = 0.0; tot = 0.0
    for j in range(len(w)):
        if w[j] < q[13]: continue
        phi = grid[j, 0]; rho = grid[j, 1]
        G, line, slope, cc, level = scan(xs, ts, phi, rho, 0, m)
        z = G[0, kk]; v = G[1, kk]
        F, K, L = gains(ts, phi, rho, 0, m)
        y = xs.copy()
        # levels by the step: cc-weighted mean is level; the left one follows from its own nights
        Gl, _, _, ccl, lev_l = scan(xs, ts, phi, rho, 0, kk)
        Gr, _, _, ccr, lev_r = scan(xs, ts, phi, rho, kk, m)
        y[:kk] -= lev_l; y[kk:] -= lev_r
        e = filtered(y, F, K, L)/np.sqrt(F)
        dev = scatter(e, kk, ss[j], q)
        if kk >= m - kk: bs = bounded_score(xs, ts, phi, rho, lev_l, kk, q[5]*ss[j], dev, 1/ccl)
        else: bs = bounded_score(xs[::-1].copy(), -ts[::-1], phi, rho, lev_r, m - kk, q[5]*ss[j], dev, 1/ccr)
        sc = min(abs(z)/(dev*math.sqrt(v)), abs(bs))
        score += w[j]*sc; nu += w[j]*nus[j]; size += w[j]*z; var += w[j]*dev*dev*v; tot += w[j]
        if G[2, kk] - line >= q[3]*dev*dev or G[3, kk] >= q[4]*q[4]*dev*dev: ok += w[j]
    ch = student_tails(score/tot, nu/tot); size /= tot; dv = math.sqrt(var/tot)
    side = min(k - a, b - k)
    ch *= max(1.0, min(side, 25)/5.0)**q[10]
    first = 0 if a == 0 else kidx[a]
    end = len(vall) if b == len(x) else kidx[b]
    ml = np.median(x[a0:k]); mr = np.median(x[k:b0])
    mid = 0.5*(ml + mr); rises = mr > ml
    ch = max(ch, run_chance(vall, first, kidx[k], not rises, mid, dn if rises else up),
             run_chance(vall, kidx[k], end, rises, mid, up if rises else dn))
    if ok < 0.5*tot: return 2.0, size, dv
    ul = u2[a0:k].mean(); ur = u2[k:b0].mean()
    mu = math.sqrt(ul*math.pi/(2*(k-a0) + math.pi - 2) + ur*math.pi/(2*(b0-k) + math.pi - 2))
    if abs(mr - ml) < max(q[7]*abs(ml), q[8], q[9]*mu): return 2.0, size, dv
    return min(ch, 1.0), size, dv

def merged(x, t, u2, vall, kidx, w, ss, nus, up, dn, q, grid, cuts0, alpha):
    """Takes splits away, the least sure first, until every one holds; each then stands where it explains most."""
    cuts = [c for c in cuts0]
    n = len(x); few = int(q[6]); moves = 0
    top = np.argmax(w)
    ch = [0.0 for c in cuts]; sz = [0.0 for c in cuts]; sd = [0.0 for c in cuts]
    dirty = [True for c in cuts]
    while True:
        m = len(cuts); worst = -1
        for j in range(m):
            if dirty[j]:
                a = 0 if j == 0 else cuts[j-1]
                b = n if j == m-1 else cuts[j+1]
                if moves < 20:
                    G, _, _, _, _ = scan(x, t, grid[top, 0], grid[top, 1], a, b)
                    lo = max(a + few, cuts[j] - 5); hi = min(b - few, cuts[j] + 5)
                    best = cuts[j]
                    for k in range(lo, hi + 1):
                        if G[2, k-a] > G[2, best-a]*(1 + 1e-9): best = k
                    if best != cuts[j]:
                        cuts[j] = best; moves += 1
                        if j > 0: dirty[j-1] = True
                        if j + 1 < m: dirty[j+1] = True
                ch[j], sz[j], sd[j] = test(x, t, u2, vall, kidx, a, cuts[j], b, w, ss, nus, up, dn, q, grid)
                dirty[j] = False
        again = False
        for j in range(m):
            if dirty[j]: again = True
            if ch[j] > alpha and (worst < 0 or ch[j] > ch[worst]): worst = j
        if again: continue
        if worst < 0: return cuts, ch, sz, sd
        cuts.pop(worst); ch.pop(worst); sz.pop(worst); sd.pop(worst); dirty.pop(worst)
        if worst > 0: dirty[worst-1] = True
        if worst < len(cuts): dirty[worst] = True

def evening(days, v0, unc, q, grid):
    """What one evening sees: (index among all nights, size, deviation, chance) of the sure and of the weak splits."""
    n0 = len(v0)
    none = np.empty((0, 4))
    if n0 < 8: return none, none, 0.0, 0.0
    sv = np.sort(v0)
    big = max(abs(sv[0]), abs(sv[-1])); quantum = np.inf
    for i in range(n0 - 1):
        d = sv[i+1] - sv[i]
        if d > 1e-12*big and d < quantum: quantum = d
    if quantum == np.inf: quantum = 0.0
    off = weekly_offsets(days, v0)
    vall = np.empty(n0)
    for i in range(n0): vall[i] = v0[i] - off[days[i] % 7]
    kept, up, dn = lone_outliers(vall, quantum)
    kidx = np.nonzero(kept)[0]
    n = len(kidx)
    if n < 8: return none, none, 0.0, 0.0
    x = vall[kidx]
    t = (days[kidx] - days[0]).astype(np.float64)
    u2 = unc[kidx]**2
    least = max(quantum/math.sqrt(12.0), math.sqrt(np.median(u2)), 1e-12)
    w, ss, nus, drift = noise(x, t, least, q, grid)
    top = np.argmax(w)
    cuts, _ = divide(x, t, grid[top, 0], grid[top, 1], int(q[6]), q[15]*ss[top]**2, True, drift[top])
    c1, h1, z1, d1 = merged(x, t, u2, vall, kidx, w, ss, nus, up, dn, q, grid, cuts, q[1])
    c2, h2, z2, d2 = merged(x, t, u2, vall, kidx, w, ss, nus, up, dn, q, grid, c1, q[0])
    A = np.empty((len(c2), 4)); B = np.empty((len(c1), 4))
    for j in range(len(c2)): A[j, 0] = kidx[c2[j]]; A[j, 1] = z2[j]; A[j, 2] = d2[j]; A[j, 3] = h2[j]
    for j in range(len(c1)): B[j, 0] = kidx[c1[j]]; B[j, 1] = z1[j]; B[j, 2] = d1[j]; B[j, 3] = h1[j]
    return A, B, float(top), ss[top]

RECENT = 12

def change_points(days, values, uncertainties=None, minimum=(0.01, 0.0, 3.0)):
    """The changes of one series, ascending, as the detector sees them on the evening of the last night.

    days ascending integers; minimum: share of the level, absolute, standard uncertainties of the change."""
    d = np.asarray(days, np.int64); v = np.asarray(values, float)
    u = np.zeros(len(v)) if uncertainties is None else np.asarray(uncertainties, float)
    ok = np.isfinite(v); d, v, u = d[ok], v[ok], u[ok]
    q = settings(rel=minimum[0], absol=minimum[1], sigmas=minimum[2])
    sure, weak, _, _ = evening(d, v, u, q, GRID)
    start = len(v) - RECENT
    same = lambda a, b: abs(a[0] - b[0]) <= 3 and (a[1] > 0) == (b[1] > 0)
    points = [(p, "confirmed") for p in sure]
    points += [(p, "weak") for p in weak if p[0] >= start and not any(same(p, s) for s in sure)]
    known = None
    out = []
    for p, state in sorted(points, key=lambda x: x[0][0]):
        if state == "confirmed" and p[0] >= start:
            if known is None: known = evening(d[:-1], v[:-1], u[:-1], q, GRID)[1]
            if not any(same(p, k) for k in known): state = "found"
        i = int(p[0])
        out.append(dict(index=i, day=int(d[i]), state=state, size=float(p[1]), uncertainty=float(p[2]), chance=float(p[3])))
    return out


if __name__ == "__main__":
    import json, pathlib
    path = pathlib.Path(__file__).with_name("detector.json")
    series = json.loads(path.read_text())
    for one in series:
        days = range(one["firstDay"], one["firstDay"] + len(one["values"]))
        there = [(d, v) for d, v in zip(days, one["values"]) if v is not None]
        d, v = zip(*there)
        one["expected"] = change_points(d, v, [one["uncertainty"]] * len(v))
    path.write_text("[\n" + ",\n".join(json.dumps(one) for one in series) + "\n]\n")
