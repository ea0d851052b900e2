"""Exact responses of a team, by search or by its belief graph: see :mod:`gamebench.analysis.responses.team`."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.passes import back_up_best, copy_to, fill, realise


@compiled
def team_weights(form, is_member, payoffs, terminal_slots, x, scale, base):
    """Add scale * c(z) u(z) prod over j outside the team of x(s_j(z)) to the slot of each z; ``base`` is modified."""
    for z in range(len(terminal_slots)):
        weight = scale * form.chance[z] * payoffs[z]
        for player in range(len(is_member)):
            if not is_member[player]:
                weight *= x[form.last_sequences[player, z]]
        base[terminal_slots[z]] += weight


@internal
def relaxed_value(form, relaxation, base, fixed, slots, choice):
    """Return the best value if every node chooses on its own, except where ``fixed[point]`` prescribes an action.

    ``slots`` (the value of each slot) and ``choice`` (the action of each node) are modified in place.
    """
    firsts = form.first_sequences
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


@internal
def disagreement(form, relaxation, slots, choice, fixed, plan, in_play, is_met, loss, rounded):
    """Round the relaxed solution to one plan, and return the decision point whose copies in play disagree most, or -1.

    ``loss(s)`` is the total loss of the copies in play if their decision point must play ``s``. Only points not yet
    fixed are returned. ``rounded`` (a plan: one action per point; that of ``plan`` where no copy is in play) and
    ``loss`` are modified in place, as are ``in_play`` (by slot) and ``is_met`` (by point), which are scratch space.
    """
    firsts = form.first_sequences
    fill(False, in_play)
    fill(False, is_met)
    in_play[0] = True
    fill(0.0, loss)
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


@internal
def try_plan(form, relaxation, base, candidate, best, slots, choice, plan):
    """Return the greater of ``best`` and the value of a candidate plan with the outermost member's best response.

    If the candidate is better, ``plan`` becomes the candidate with that response. ``candidate``, ``slots`` and
    ``choice`` are modified in place.
    """
    for point in range(len(candidate)):
        if relaxation.is_outermost[point]:
            candidate[point] = -1
    value = relaxed_value(form, relaxation, base, candidate, slots, choice)
    if value <= best:
        return best
    copy_to(candidate, plan)
    for node in range(len(choice)):
        plan[relaxation.points[node]] = choice[node]
    return value


@internal
def sort_actions(loss, begin, end, order):
    """Sort the actions of a decision point by loss, with insertion sort; ``order[begin:end]`` is modified in place."""
    for s in range(begin, end):
        index = s
        while index > begin and loss[begin + order[index - 1]] > loss[s]:
            order[index] = order[index - 1]
            index -= 1
        order[index] = s - begin


@compiled
def search_team(form, relaxation, base, max_steps, plan):
    """Find a team's best joint plan by branch and bound; return its value and whether the search was completed.

    Depth first: bound by the relaxation, round its solution to a plan, and if the plan's value is below the bound,
    branch on the decision point whose copies disagree most, the action of least loss first. The search stops after
    visiting ``max_steps`` slots. ``plan`` (the start, then the result) is modified in place.
    """
    firsts = form.first_sequences
    tolerance = 0.0
    for weight in base:
        tolerance += 1e-13 * abs(weight)
    slots, choice = np.empty(len(base)), np.empty(len(relaxation.points), np.int64)
    in_play, is_met = np.empty(len(base), np.bool_), np.empty(len(plan), np.bool_)
    loss, order = np.empty(firsts[-1]), np.empty(firsts[-1], np.int64)
    candidate, fixed = np.empty(len(plan), np.int64), np.empty(len(plan), np.int64)
    copy_to(plan, candidate)
    fill(-1, fixed)
    path, tried = np.empty(len(plan), np.int64), np.empty(len(plan), np.int64)
    depth = 0
    best = try_plan(form, relaxation, base, candidate, -np.inf, slots, choice, plan)
    for _ in range(max(max_steps // len(base), 1)):
        bound = relaxed_value(form, relaxation, base, fixed, slots, choice)
        point = -1
        if bound > best + tolerance:
            point = disagreement(form, relaxation, slots, choice, fixed, plan, in_play, is_met, loss, candidate)
            best = try_plan(form, relaxation, base, candidate, best, slots, choice, plan)
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
def team_deviations(form, relaxation, is_member, payoffs, policies, max_steps, plan):
    """Return the values ``(B,)`` of the team's best joint deviation from each of ``policies`` ``(B, S)``.

    They are NaN from the first incomplete search on. Each search starts at the previous plan; ``plan`` (the start,
    then the last result) is modified in place.
    """
    values = np.empty(len(policies))
    x = np.empty(policies.shape[1] + len(is_member))
    base = np.empty(relaxation.num_slots)
    for b in range(len(policies)):
        realise(form, policies[b], x)
        fill(0.0, base)
        team_weights(form, is_member, payoffs, relaxation.terminal_slots, x, 1.0, base)
        values[b], completed = search_team(form, relaxation, base, max_steps, plan)
        if not completed:
            for rest in range(b, len(policies)):
                values[rest] = np.nan
            break
    return values


@compiled
def graph_deviations(form, graph, is_member, payoffs, policies, q):
    """Return the values ``(B,)`` of the team's best joint deviations, by one pass over its coordinator's ``graph``.

    ``q`` ``(S + 1,)``, in the end the action values for the last policy, is modified in place.
    """
    values = np.empty(len(policies))
    x = np.empty(policies.shape[1] + len(is_member))
    for b in range(len(policies)):
        realise(form, policies[b], x)
        fill(0.0, q)
        team_weights(form, is_member, payoffs, graph.last_sequences[0], x, 1.0, q)
        values[b] = back_up_best(graph, 0, q)
    return values
