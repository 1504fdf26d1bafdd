"""Activations, Strikes and the verbs that need them (400, 800.50)."""

from __future__ import annotations

from engine.deaths import Deaths
from engine.definitions import Effect
from engine.lines import NO_MOMENT, Moment
from engine.unit import Unit


class Activations(Deaths):
    """What a unit does in its turn; the topmost layer of effects, so it can do all of them."""

    def perform(self, unit: Unit, effect: Effect, moment: Moment) -> None:
        verb = effect.verb
        if verb == "summon":
            self._summon(unit, effect)
        elif verb == "endure":
            unit.vitality = effect.amount
            self.record.add("endure", (unit.id, unit.vitality))
        elif verb == "damage":
            amount = unit.power() * effect.amount // 100 if effect.percent else effect.amount
            self.damage(unit, self.targets(unit, effect.aim, moment), amount)
        elif verb == "activate":
            for target in self.targets(unit, effect.aim, moment):
                if target.vitality > 0 and not target.is_frozen():
                    self.activate(target, nested=True)
        else:
            for target in self.targets(unit, effect.aim, moment):
                self.apply(unit, effect, target)

    def _summon(self, unit: Unit, effect: Effect) -> None:
        """On free cells of the bearer's half; without resonance, runes or Scrip."""
        card = self.catalog.cards[effect.card]
        for _ in range(effect.amount):
            cell = self.free_cell(unit.side)
            if cell < 0:
                return
            built = self.build(unit.side, cell, card, (), card.stats, card.lines)
            self.record.add("summon", (built.id, unit.id, cell, card.id, *built.numbers()))

    # Activation (400.2, 400.5)

    def activate(self, unit: Unit, nested: bool) -> None:
        """In the batch that is open. What it takes in Charge is the phase's affair."""
        life = unit.incarnation
        unit.activations_open += 1
        self.record.add("activation", (unit.id, nested))
        if unit.quickened:  # 900.4
            unit.quickened = 0
            self.record.add("quicken", (unit.id, 0))
        if unit.card.strike:
            self._strikes(unit, life)
        if unit.lives_as(life):
            self.fire(unit, "activation", NO_MOMENT)
        # If it died, the activation ended then and there.
        if unit.lives_as(life):
            unit.activations_open -= 1
            unit.watched_from = self.revivals

    def _strikes(self, unit: Unit, life: int) -> None:
        """One Strike; of a Rabid unit, another after each that kills (800.50)."""
        for _ in range(self.rules.rabid_strikes):
            target = self.focus_roll(unit)
            if target is None:
                return
            killed = self._strike(unit, target)
            if not (killed and unit.lives_as(life) and unit.has("rabid")):
                return

    def _strike(self, unit: Unit, target: Unit) -> bool:
        """400.3: deals its Power to the target as one effect. True if that killed it."""
        life = unit.incarnation
        is_new = unit.struck.get(target.id) != target.incarnation
        unit.struck[target.id] = target.incarnation
        self.record.add("strike", (unit.id, target.id))
        blow = self.deal(unit, [target], unit.power())
        moment = Moment(target=target)
        if is_new:
            self.fire(unit, "new_target", moment)
        if unit.lives_as(life):
            self.fire(unit, "hit", moment)
        self.settle(blow)
        return bool(blow.fallen)
