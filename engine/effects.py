"""What the verbs do to numbers, statuses, keywords and Charge (300.3, 700, 800, 900.4).

Damage is in `engine.deaths`, with what it leads to; nested activation in `engine.activations`.
"""

from __future__ import annotations

from engine.definitions import Effect
from engine.lines import Lines, Moment
from engine.unit import FOR_BATTLE, FOR_LIFE, NEVER, Ending, Unit


class Effects(Lines):
    """The verbs that touch one target at a time, and the aims that name the targets."""

    # Aims

    def targets(self, unit: Unit, aim: str, moment: Moment) -> list[Unit]:
        """The legal targets of an aim, in order."""
        if aim == "focus":
            rolled = self.focus_roll(unit)
            return [] if rolled is None else [rolled]
        if aim == "self":
            return _if_living(unit)
        if aim == "enemies":
            return self.side_living(1 - unit.side)
        if aim == "allies":
            return self.side_living(unit.side)
        if aim == "other_allies":
            return [ally for ally in self.side_living(unit.side) if ally is not unit]
        if aim == "adjacent":
            return self.adjacent(unit)
        if aim == "weakest_ally":
            return self.weakest_ally(unit)
        if aim == "target":
            return _if_living(moment.target)
        if aim == "attacker":
            return _if_living(moment.attacker)
        if aim == "revived":
            return _if_living(moment.revived)
        if aim == "killer":
            return self._killer(unit, moment)
        raise AssertionError(f"aim {aim!r} was not refused with its card")

    def _killer(self, unit: Unit, moment: Moment) -> list[Unit]:
        killer = moment.killer
        if moment.revived is None:
            return _if_living(killer)
        if killer is not None and killer.vitality > 0 and killer.side != unit.side:
            return [killer]
        # 500.9k: gone or no longer legal: the listener's own Focus roll.
        rolled = self.focus_roll(unit)
        if rolled is None:
            return []
        self.record.add("fallback", (unit.id, rolled.id))
        return [rolled]

    # Verbs

    def apply(self, unit: Unit, effect: Effect, target: Unit) -> None:
        """Does a verb of `unit` to one living target."""
        verb = effect.verb
        if verb == "dread":
            self._dread(unit, target, effect.amount)
        elif verb == "burn":
            self._burn(unit, target, effect.amount)
        elif verb == "freeze":
            self._freeze(unit, target, effect.ticks)
        elif verb == "heal":
            self._heal(unit, target, effect.amount)
        elif verb == "ward":
            self._ward(unit, target, effect.amount)
        elif verb == "buff":
            self._buff(unit, target, effect)
        elif verb == "quicken":
            self._quicken(target, effect.amount)
        elif verb == "grant":
            self._grant(target, effect)
        elif verb == "charge":
            self._charge(target, effect.amount)
        elif verb == "cleanse":
            self._cleanse(target)
        else:
            raise AssertionError(f"verb {verb!r} was not refused with its card")

    def _dread(self, unit: Unit, target: Unit, stacks: int) -> None:
        """700.1. Every successful stack is raw for the applying side (800.49c)."""
        added = min(stacks, self.rules.dread_cap - target.dread)
        if added <= 0 or "dread" in target.card.immune:
            return
        target.dread += added
        if self.batch is not None:
            self.batch.raw[unit.side] += added
        self.record.add("status", (target.id, unit.id, "dread", added, target.dread))

    def _burn(self, unit: Unit, target: Unit, stacks: int) -> None:
        if stacks <= 0 or "burn" in target.card.immune:
            return
        target.burn += stacks
        target.burner = unit  # 500.4: who added last is the killer
        self.record.add("status", (target.id, unit.id, "burn", stacks, target.burn))

    def _freeze(self, unit: Unit, target: Unit, ticks: int) -> None:
        """700.2. Each unit counts once a batch, whoever froze it (800.49c, g)."""
        if "freeze" in target.card.immune:
            return
        until = self.tick + ticks
        if until > target.frozen_until:
            _forget(target, "freeze", "")
            target.frozen_until = until
            target.endings.append(Ending(until, "freeze"))
        batch = self.batch
        if batch is not None and target not in batch.frozen:
            batch.frozen.append(target)
            batch.raw[unit.side] += 1
        self.record.add("status", (target.id, unit.id, "freeze", ticks, target.frozen_until))

    def _heal(self, unit: Unit, target: Unit, amount: int) -> None:
        healed = min(amount, target.max_vitality - target.vitality)
        if healed > 0:
            target.vitality += healed
            self.record.add("heal", (target.id, unit.id, healed, target.vitality))

    def _ward(self, unit: Unit, target: Unit, amount: int) -> None:
        if amount > 0:
            target.ward += amount
            self.record.add("ward", (target.id, unit.id, amount, target.ward))

    def _buff(self, unit: Unit, target: Unit, effect: Effect) -> None:
        """300.3: for the life, or until a tick."""
        if effect.amount == 0:
            return
        value = self.change_stat(target, effect.stat, effect.amount)
        until: int | None = None
        if effect.ticks:
            until = self.tick + effect.ticks
            target.endings.append(Ending(until, "stat", effect.stat, effect.amount))
        self.record.add("stat", (target.id, unit.id, effect.stat, effect.amount, value, until))

    def change_stat(self, target: Unit, stat: str, amount: int) -> int:
        """Adds to a number; what is shown of it then."""
        if stat == "power":
            target.power_sum += amount
            return target.power()
        if stat == "speed":
            target.speed_sum += amount
            return target.speed()
        if stat == "armor":
            target.armor_sum += amount
            return target.armor()
        target.max_vitality += amount
        target.vitality += amount
        return target.vitality

    def _quicken(self, target: Unit, speed: int) -> None:
        """500.9l: the larger amount stands."""
        if speed > target.quickened:
            target.quickened = speed
            self.record.add("quicken", (target.id, speed))

    def _grant(self, target: Unit, effect: Effect) -> None:
        """Nothing changes where the unit has the keyword for as long or longer; a longer grant
        takes the place of a shorter one, and of its end."""
        until = FOR_LIFE
        if effect.battle:
            until = FOR_BATTLE
        elif effect.ticks:
            until = self.tick + effect.ticks
        keyword = effect.keyword
        if keyword in target.keywords or until <= target.granted.get(keyword, NEVER):
            return
        _forget(target, "grant", keyword)
        target.granted[keyword] = until
        if until == FOR_BATTLE:
            self.record.add("grant", (target.id, keyword, "battle"))
        elif until == FOR_LIFE:
            self.record.add("grant", (target.id, keyword, None))
        else:
            target.endings.append(Ending(until, "grant", keyword))
            self.record.add("grant", (target.id, keyword, until))

    def _charge(self, target: Unit, amount: int) -> None:
        """Not below empty; a Frozen unit gains none (700.2)."""
        if amount > 0 and target.is_frozen():
            return
        changed = max(amount, -target.charge)
        if changed != 0:
            target.charge += changed
            self.record.add("charge", (target.id, changed, target.charge))

    def _cleanse(self, target: Unit) -> None:
        """700.4."""
        if target.dread:
            target.dread = 0
            self.record.add("status_end", (target.id, "dread"))
        if target.is_frozen():
            _forget(target, "freeze", "")
            target.frozen_until = NEVER
            self.record.add("status_end", (target.id, "freeze"))
        if target.burn:
            target.burn = 0
            self.record.add("status_end", (target.id, "burn"))

    # Endings (100.4e)

    def end(self, unit: Unit, ending: Ending) -> None:
        """Ends what was set to last until now."""
        if ending.kind == "freeze":
            unit.frozen_until = NEVER
            self.record.add("status_end", (unit.id, "freeze"))
        elif ending.kind == "grant":
            del unit.granted[ending.name]
            self.record.add("grant_end", (unit.id, ending.name))
        else:
            value = self.change_stat(unit, ending.name, -ending.amount)
            self.record.add("stat", (unit.id, None, ending.name, -ending.amount, value, None))


def _if_living(unit: Unit | None) -> list[Unit]:
    return [unit] if unit is not None and unit.vitality > 0 else []


def _forget(unit: Unit, kind: str, name: str) -> None:
    """Drops the ending that a longer one of the same thing takes the place of."""
    unit.endings = [e for e in unit.endings if e.kind != kind or e.name != name]
