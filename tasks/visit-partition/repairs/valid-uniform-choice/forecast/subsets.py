"""Draw one subset of numbered weights, uniformly among those with the best sum."""


def draw_subset(weights, wanted, generator):
    """Return indices into `weights`; the sum is nearest to `wanted`, ties to the smaller sum."""
    ways = _ways(weights)
    reachable = [total for total, count in enumerate(ways[0]) if count]
    below = max(total for total in reachable if total <= wanted)
    above = min((total for total in reachable if total > wanted), default=None)
    total = above if above is not None and above - wanted < wanted - below else below
    subset = []
    for index, weight in enumerate(weights):
        without = ways[index + 1][total]
        if generator.randrange(ways[index][total]) >= without:
            subset.append(index)
            total -= weight
    return subset


def _ways(weights):
    """Return a table: [i][n] is the number of subsets of weights[i:] that add up to n."""
    limit = sum(weights)
    ways = [[1] + [0] * limit]
    for weight in reversed(weights):
        after = ways[-1]
        ways.append([after[n] + (after[n - weight] if n >= weight else 0) for n in range(limit + 1)])
    return ways[::-1]
