import { firstOf } from 'node-kit/words'
import type { PlanStep } from 'protocol'
import { isFinal } from 'protocol/facts'
import type { Preview } from '../tools/tool.ts'
import type { Made } from './made.ts'

/** Returns the card’s text for a call that starts a plan. The card shows the plan itself beside it. */
export function previewOf({ leads }: Made): Preview {
  const { steps } = leads.facts
  const isOpen = ({ state }: PlanStep) => state === 'waits'
  const count = (tier: PlanStep['tier']) => steps.filter((step) => isOpen(step) && step.tier === tier).length
  const changes = steps.filter((step) => isOpen(step) && step.tier !== 'green')
  const affected = [...new Set(changes.flatMap(({ affects }) => affects ?? []))]
  const final = steps.filter((step) => isOpen(step) && isFinal(step.undo)).length
  const read = steps.filter(({ state }) => state === 'done').length
  return {
    now: `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}: ${read} read already, ${count('red')} would ask, ${count('yellow')} change and are recorded, ${count('green')} read later`,
    then:
      changes.length === 0
        ? 'nothing is changed'
        : changes.map(({ number, sentence }) => `${number}. ${sentence}`).join(' '),
    affects: affected.length === 0 ? 'Nothing else found' : firstOf(affected, 6),
    undo:
      final === 0
        ? { kind: 'none', because: 'Each of its steps says what takes it back.', losesNothing: true }
        : { kind: 'none', because: `${final} of its steps cannot be undone, as they say.` },
    basis: { plan: leads.facts.hash, ...(leads.text && { text: leads.text.hash }) },
    leads,
  }
}
