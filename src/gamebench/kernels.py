"""Every compiled loop: arrays in, arrays out, and nothing else.

All kernels stand in this one file because Numba's disk cache does not notice a change in another one. Conventions:
``tree`` is a :class:`gamebench.games.tree.Tree`; ``x`` is a realisation plan of length ``S + N`` (empty sequences
last), ``g`` a vector of the same length that belongs to all players at once; a batch is a leading axis. Arguments
that a kernel writes to stand last, and its docstring says "modified in place".
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numba import njit
from numba.core import event


class _Announcement(event.Listener):
    """Tell a user at a terminal, once, why the first call takes long."""

    def on_start(self, event_of_compilation):
        """Called before a kernel is compiled, which happens only if the disk cache does not have it."""
        event.unregister("numba:compile", self)
        if sys.stderr.isatty():
            print("Compiling GameBench's kernels: once per machine, some ten seconds.", file=sys.stderr)

    def on_end(self, event_of_compilation):
        """Called afterwards: nothing to say."""


event.register("numba:compile", _Announcement())


def compiled(function):
    """Compile when first called, and keep the result on disk wherever there is a place for it."""
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return njit(function)


@compiled
def realise(tree, policy, x):
    """x(I,a) = x(parent(I)) pi(a|I) for all players; ``x`` is modified in place."""
    firsts, parents = tree.first_sequences, tree.parent_sequences
    x[firsts[-1] :] = 1.0
    for point in range(len(parents)):
        weight = x[parents[point]]
        for s in range(firsts[point], firsts[point + 1]):
            x[s] = weight * policy[s]


@compiled
def differentiate(tree, player, x, g):
    """g(s) += sum over z with s_i(z) = s of c(z) u_i(z) prod_{j != i} x(s_j(z)); ``g`` is modified in place."""
    chance, payoffs, last = tree.chance, tree.payoffs[player], tree.last_sequences
    for z in range(len(chance)):
        weight = chance[z] * payoffs[z]
        for other in range(len(last)):
            if other != player:
                weight *= x[last[other, z]]
        g[last[player, z]] += weight


@compiled
def differentiate_all(tree, x, g):
    """The gradients of all players in one pass over the terminals; ``g`` is added to in place.

    With w_j = x(s_j(z)), player j's weight is c(z) u_j(z) times the product of w before j and of w after j. For two
    players the loops over players are written out: the compiler cannot do that, and it is three times as fast.
    """
    chance, payoffs, last = tree.chance, tree.payoffs, tree.last_sequences
    players = len(last)
    if players == 2:
        for z in range(len(chance)):
            one, two = last[0, z], last[1, z]
            g[one] += chance[z] * payoffs[0, z] * x[two]
            g[two] += chance[z] * payoffs[1, z] * x[one]
        return
    before = np.empty(players)
    for z in range(len(chance)):
        weight = chance[z]
        for player in range(players):
            before[player] = weight
            weight *= x[last[player, z]]
        after = 1.0
        for player in range(players - 1, -1, -1):
            s = last[player, z]
            g[s] += before[player] * after * payoffs[player, z]
            after *= x[s]


@compiled
def reach_without(tree, player, x, m):
    """m(s) += sum over z with s_i(z) = s of c(z) prod_{j != i} x(s_j(z)); ``m`` is modified in place."""
    chance, last = tree.chance, tree.last_sequences
    for z in range(len(chance)):
        weight = chance[z]
        for other in range(len(last)):
            if other != player:
                weight *= x[last[other, z]]
        m[last[player, z]] += weight


@compiled
def value_from_gradient(tree, player, x, g):
    """V_i = sum_s x(s) g(s), which costs next to nothing once the gradient is known."""
    value = g[tree.first_sequences[-1] + player]
    begin, end = tree.player_blocks[player], tree.player_blocks[player + 1]
    for s in range(tree.first_sequences[begin], tree.first_sequences[end]):
        value += x[s] * g[s]
    return value


@compiled
def back_up_policy(tree, player, policy, q):
    """From gradient to q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a); ``q`` is modified in place.

    Afterwards the entry of the player's empty sequence is its expected value.
    """
    firsts, parents = tree.first_sequences, tree.parent_sequences
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        value = 0.0
        for s in range(firsts[point], firsts[point + 1]):
            value += policy[s] * q[s]
        q[parents[point]] += value


@compiled
def back_up_best(tree, player, q):
    """The same with v(I) = max_a q(I,a); returns the best response's value. ``q`` is modified in place."""
    firsts, parents = tree.first_sequences, tree.parent_sequences
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        value = q[firsts[point]]
        for s in range(firsts[point] + 1, firsts[point + 1]):
            value = max(value, q[s])
        q[parents[point]] += value
    return q[firsts[-1] + player]


@compiled
def expected_values(tree, policies):
    """``(B, N)`` V_i = sum_z c(z) u_i(z) prod_j x(s_j(z)) for each of ``policies`` ``(B, S)``."""
    players, terminals = tree.last_sequences.shape
    values = np.zeros((len(policies), players))
    x = np.empty(policies.shape[1] + players)
    for b in range(len(policies)):
        realise(tree, policies[b], x)
        for z in range(terminals):
            weight = tree.chance[z]
            for player in range(players):
                weight *= x[tree.last_sequences[player, z]]
            for player in range(players):
                values[b, player] += weight * tree.payoffs[player, z]
    return values


@compiled
def own_deviations(tree, policies, wanted):
    """Values and best-response values of single players, ``(B, N)`` each, for ``policies`` ``(B, S)``.

    The second is computed for the players with ``wanted[i]`` and left 0 for the others.
    """
    players, sequences = len(tree.last_sequences), policies.shape[1]
    values, best = np.zeros((len(policies), players)), np.zeros((len(policies), players))
    x, g = np.empty(sequences + players), np.empty(sequences + players)
    for b in range(len(policies)):
        realise(tree, policies[b], x)
        g[:] = 0.0
        differentiate_all(tree, x, g)
        for player in range(players):
            values[b, player] = value_from_gradient(tree, player, x, g)
            if wanted[player]:
                best[b, player] = back_up_best(tree, player, g)
    return values, best


@compiled
def best_actions(tree, player, q, policy):
    """Play the first action of greatest q with probability 1 at each point of the player; ``policy`` is modified."""
    firsts = tree.first_sequences
    for point in range(tree.player_blocks[player], tree.player_blocks[player + 1]):
        best = firsts[point]
        for s in range(firsts[point], firsts[point + 1]):
            policy[s] = 0.0
            if q[s] > q[best]:
                best = s
        policy[best] = 1.0


@compiled
def action_values(tree, policy, wanted, x, q, m, reach):
    """Q(I,a) into ``q`` and the counterfactual reach of I into ``reach`` ``(D,)`` for the players with ``wanted[i]``.

    Q is 0 where the others never let the player come. ``x``, ``q`` and ``m``, ``(S + N,)`` each, are room to work in:
    all are modified in place.
    """
    firsts, parents = tree.first_sequences, tree.parent_sequences
    realise(tree, policy, x)
    q[:] = 0.0
    m[:] = 0.0
    for player in range(len(tree.last_sequences)):
        if not wanted[player]:
            continue
        differentiate(tree, player, x, q)
        reach_without(tree, player, x, m)
        back_up_policy(tree, player, policy, q)
        for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
            # Whatever the player does, the others and chance go on with probability 1 in all: every action has the same
            # mass. Any one of them is right; the mean is the best conditioned.
            mass = 0.0
            for s in range(firsts[point], firsts[point + 1]):
                mass += m[s] / (firsts[point + 1] - firsts[point])
            reach[point] = mass
            m[parents[point]] += mass
            for s in range(firsts[point], firsts[point + 1]):
                q[s] = q[s] / mass if mass > 0.0 else 0.0


@compiled
def normalise_log(log_weights, begin, end):
    """Subtract the logarithm of the sum of the weights; ``log_weights[begin:end]`` is modified in place."""
    top = log_weights[begin]
    for s in range(begin + 1, end):
        top = max(top, log_weights[s])
    total = 0.0
    for s in range(begin, end):
        total += math.exp(log_weights[s] - top)
    shift = top + math.log(total)
    for s in range(begin, end):
        log_weights[s] -= shift


@compiled
def mmd_kl_steps(tree, wanted, steps, regularisation, step_size, magnet_rate, policy):
    """Magnetic mirror descent with entropy for the players with ``wanted[i]``, all at once; the others stand still.

    pi ~ [pi rho^(eta xi) e^(eta Q)]^(1/(1 + eta xi)), then rho ~ rho^(1-r) pi^r; the magnet rho starts at the policy.
    Policies are kept as logarithms, so nothing underflows on the way. ``policy`` ``(S,)`` is modified in place.
    """
    firsts, players = tree.first_sequences, len(tree.last_sequences)
    pull = step_size * regularisation
    x = np.empty(len(policy) + players)
    q, m = np.empty_like(x), np.empty_like(x)
    reach = np.empty(len(tree.parent_sequences))
    log_policy = np.log(policy)
    log_magnet = log_policy.copy()
    for _ in range(steps):
        action_values(tree, policy, wanted, x, q, m, reach)
        for player in range(players):
            if not wanted[player]:
                continue
            for point in range(tree.player_blocks[player], tree.player_blocks[player + 1]):
                begin, end = firsts[point], firsts[point + 1]
                for s in range(begin, end):
                    log_policy[s] = (log_policy[s] + pull * log_magnet[s] + step_size * q[s]) / (1.0 + pull)
                normalise_log(log_policy, begin, end)
                for s in range(begin, end):
                    log_magnet[s] = (1.0 - magnet_rate) * log_magnet[s] + magnet_rate * log_policy[s]
                    policy[s] = math.exp(log_policy[s])
                normalise_log(log_magnet, begin, end)


@compiled
def team_weights(tree, is_member, payoffs, terminal_slots, x, scale, base):
    """base(slot of z) += scale * c(z) u(z) prod of x(s_j(z)) over all j outside the team; ``base`` is modified."""
    for z in range(len(terminal_slots)):
        weight = scale * tree.chance[z] * payoffs[z]
        for player in range(len(is_member)):
            if not is_member[player]:
                weight *= x[tree.last_sequences[player, z]]
        base[terminal_slots[z]] += weight


@compiled
def copy_to(source, target):
    """``target[:] = source``, which Numba takes seconds to compile; ``target`` is modified in place."""
    for index in range(len(source)):
        target[index] = source[index]


@compiled
def relaxed_value(tree, relaxation, base, fixed, slots, choice):
    """The best value if every node may choose for itself, except where ``fixed[point]`` names an action.

    ``slots`` (the value of every slot) and ``choice`` (of every node) are modified in place.
    """
    firsts = tree.first_sequences
    copy_to(base, slots)
    for node in range(len(relaxation.points) - 1, -1, -1):
        point, first = relaxation.points[node], relaxation.first_slots[node]
        best = fixed[point]
        if best < 0:
            best = 0
            for action in range(1, firsts[point + 1] - firsts[point]):
                if slots[first + action] > slots[first + best]:
                    best = action
        choice[node] = best
        slots[relaxation.parent_slots[node]] += slots[first + best]
    return slots[0]


@compiled
def disagreement(tree, relaxation, slots, choice, fixed, plan, loss, rounded):
    """Make one plan of the relaxed answer, and find the point whose copies in play disagree most about it.

    ``loss(s)`` is what the copies in play lose together if their point must play ``s``. Returns a point that is not
    yet fixed, or -1. ``rounded`` (a plan: one action per point; ``plan`` where no copy is in play) and ``loss`` are
    modified in place.
    """
    firsts = tree.first_sequences
    in_play = np.zeros(len(slots), np.bool_)
    is_met = np.zeros(len(fixed), np.bool_)
    in_play[0] = True
    loss[:] = 0.0
    for node in range(len(choice)):
        if in_play[relaxation.parent_slots[node]]:
            point, first = relaxation.points[node], relaxation.first_slots[node]
            best = slots[first + choice[node]]
            in_play[first + choice[node]] = True
            is_met[point] = True
            for action in range(firsts[point + 1] - firsts[point]):
                loss[firsts[point] + action] += best - slots[first + action]
    worst, worst_loss = -1, -1.0
    copy_to(plan, rounded)
    for point in range(len(fixed)):
        if is_met[point]:
            least = firsts[point]
            for s in range(firsts[point] + 1, firsts[point + 1]):
                if loss[s] < loss[least]:
                    least = s
            rounded[point] = least - firsts[point] if fixed[point] < 0 else fixed[point]
            if fixed[point] < 0 and not relaxation.is_outermost[point] and loss[least] > worst_loss:
                worst, worst_loss = point, loss[least]
    return worst


@compiled
def try_plan(tree, relaxation, base, candidate, best, slots, choice, plan):
    """Value of a candidate plan to which the outermost member answers exactly, or ``best`` if that is greater.

    ``plan`` becomes the candidate with that answer if it is better; ``candidate``, ``slots`` and ``choice`` are
    modified in place.
    """
    for point in range(len(candidate)):
        if relaxation.is_outermost[point]:
            candidate[point] = -1
    value = relaxed_value(tree, relaxation, base, candidate, slots, choice)
    if value <= best:
        return best
    copy_to(candidate, plan)
    for node in range(len(choice)):
        plan[relaxation.points[node]] = choice[node]
    return value


@compiled
def sort_actions(loss, begin, end, order):
    """The actions of one point by rising loss, by insertion; ``order[begin:end]`` is modified in place."""
    for s in range(begin, end):
        place = s
        while place > begin and loss[begin + order[place - 1]] > loss[s]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = s - begin


@compiled
def search_team(tree, relaxation, base, max_steps, plan):
    """Branch and bound for the best joint plan of a team; ``plan`` (where to start, then the answer) is modified.

    Depth first: bound by the relaxation, round its answer to a plan, and if that is not as good, branch on the point
    whose copies disagree most, the least loss first. Returns the value and whether the search was completed before
    ``max_steps`` slots were visited.
    """
    firsts = tree.first_sequences
    tolerance = 0.0
    for weight in base:
        tolerance += 1e-13 * abs(weight)
    slots, choice = np.empty(len(base)), np.empty(len(relaxation.points), np.int64)
    loss, order = np.empty(firsts[-1]), np.empty(firsts[-1], np.int64)
    candidate, fixed = plan.copy(), np.full(len(plan), -1, np.int64)
    path, tried = np.empty(len(plan), np.int64), np.empty(len(plan), np.int64)
    depth = 0
    best = try_plan(tree, relaxation, base, candidate, -np.inf, slots, choice, plan)
    for _ in range(max(max_steps // len(base), 1)):
        bound = relaxed_value(tree, relaxation, base, fixed, slots, choice)
        point = -1
        if bound > best + tolerance:
            point = disagreement(tree, relaxation, slots, choice, fixed, plan, loss, candidate)
            best = try_plan(tree, relaxation, base, candidate, best, slots, choice, plan)
        if point >= 0 and bound > best + tolerance:
            sort_actions(loss, firsts[point], firsts[point + 1], order)
            path[depth], tried[depth] = point, 0
            depth += 1
        while depth > 0:
            point = path[depth - 1]
            if tried[depth - 1] < firsts[point + 1] - firsts[point]:
                fixed[point] = order[firsts[point] + tried[depth - 1]]
                tried[depth - 1] += 1
                break
            fixed[point] = -1
            depth -= 1
        if depth == 0:
            return best, True
    return best, False


@compiled
def team_deviations(tree, relaxation, is_member, payoffs, policies, max_steps, plan):
    """``(B,)`` values of the team's best joint deviation from each of ``policies`` ``(B, S)``.

    They are NaN from the first search on that was not completed. Each search starts from the answer of the one before;
    ``plan`` (the start, then the last answer) is modified in place.
    """
    values = np.empty(len(policies))
    x = np.empty(policies.shape[1] + len(is_member))
    base = np.empty(relaxation.num_slots)
    for b in range(len(policies)):
        realise(tree, policies[b], x)
        base[:] = 0.0
        team_weights(tree, is_member, payoffs, relaxation.terminal_slots, x, 1.0, base)
        values[b], completed = search_team(tree, relaxation, base, max_steps, plan)
        if not completed:
            values[b:] = np.nan
            break
    return values
