import fc from 'fast-check'
import type { StepState } from 'protocol'
import { expect, test } from 'vitest'
import { runs } from '../../../scripts/property-runs.ts'
import type { StepNote } from '../calls/plans/plan.ts'
import { type CallEnd, nextOf } from './next.ts'
import { inOrder } from './order.ts'
import { most, type ScriptStep } from './planned.ts'

type Fate = { state: Extract<StepState, 'done' | 'failed' | 'surprise' | 'unknown'>; end: 'came' | 'refused' }
type Planned = { step: ScriptStep; fate: Fate }

/** Plans of up to 20 steps that come after earlier ones, each with what will become of it. */
const plans: fc.Arbitrary<Planned[]> = fc
  .array(
    fc.record({
      isRead: fc.boolean(),
      before: fc.array(fc.nat(19), { maxLength: 3 }),
      mayFail: fc.boolean(),
      fate: fc.oneof(
        { weight: 6, arbitrary: fc.constant<Fate>({ state: 'done', end: 'came' }) },
        { weight: 1, arbitrary: fc.constant<Fate>({ state: 'failed', end: 'came' }) },
        { weight: 1, arbitrary: fc.constant<Fate>({ state: 'failed', end: 'refused' }) },
        { weight: 1, arbitrary: fc.constant<Fate>({ state: 'surprise', end: 'came' }) },
        { weight: 1, arbitrary: fc.constant<Fate>({ state: 'unknown', end: 'came' }) },
      ),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) =>
    list.map(({ isRead, before, mayFail, fate }, at) => {
      const after = [...new Set(before.filter((one) => one < at).map((one) => one + 1))]
      return {
        step: {
          number: at + 1,
          toolName: 'x',
          toolInput: {},
          isRead,
          ...(after.length > 0 && { after }),
          ...(mayFail && { onFailure: 'skip' as const }),
        },
        fate,
      }
    }),
  )

/** The state that outlives a process: the notes, the calls that were made, and those that ended. */
type Stored = { notes: Record<number, StepNote>; made: number[]; ended: Map<number, CallEnd> }

/** Leads a plan to its end. @param dies after how many writes the process ends, each time; what is stored goes on in the next one */
function led(plan: readonly Planned[], dies: readonly number[]) {
  const stored: Stored = { notes: {}, made: [], ended: new Map() }
  const fateOf = (number: number) => plan[number - 1]?.fate ?? { state: 'failed', end: 'came' }
  const deaths = [...dies]
  for (;;) {
    let left = deaths.shift() ?? Number.POSITIVE_INFINITY
    const write = (change: () => void): boolean => {
      if (left-- <= 0) return false
      change()
      return true
    }
    life: for (;;) {
      // Calls that were made and have no end are settled first, as after a restart.
      for (const number of stored.made.filter((one) => !stored.ended.has(one)))
        if (!write(() => stored.ended.set(number, fateOf(number).end))) break life
      const next = nextOf(
        plan.map(({ step }) => step),
        stored.notes,
        { endOf: (number) => stored.ended.get(number) },
      )
      if (next.type === 'end') return { ...stored, end: next }
      if (next.type === 'close') {
        const { number } = next.step
        if (!write(() => Object.assign(stored.notes, { [number]: { state: fateOf(number).state, outcome: 'o' } })))
          break
      } else if (next.type === 'leave') {
        if (!write(() => Object.assign(stored.notes, { [next.step.number]: { state: 'skipped' } }))) break
      } else {
        expect(next.steps.length).toBeLessThanOrEqual(most.readsAtOnce)
        expect(next.steps.length === 1 || next.steps.every(({ isRead }) => isRead)).toBe(true)
        for (const { number } of next.steps)
          if (!write(() => Object.assign(stored.notes, { [number]: { state: 'running' } }))) break life
        if (!write(() => stored.made.push(...next.steps.map(({ number }) => number)))) break
      }
    }
  }
}

test('a plan comes to the same end wherever and however often the process dies, and makes no call twice', () => {
  fc.assert(
    fc.property(plans, fc.array(fc.nat(12), { maxLength: 8 }), (plan, dies) => {
      const whole = led(plan, [])
      const killed = led(plan, dies)
      expect(killed).toEqual(whole)
      expect(new Set(killed.made).size).toBe(killed.made.length)
    }),
    runs(100),
  )
})

test('no step begins before all that it comes after went as planned, nor after one that ends the plan', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { made, notes, end } = led(plan, [])
      for (const number of made)
        for (const before of plan[number - 1]?.step.after ?? []) expect(notes[before]?.state).toBe('done')
      const stopping = plan.find(
        ({ step, fate }) =>
          made.includes(step.number) &&
          fate.state !== 'done' &&
          (step.onFailure !== 'skip' || fate.state === 'unknown' || fate.end === 'refused'),
      )
      expect(end.state).toEqual(stopping === undefined ? 'done' : expect.stringMatching(/stopped|unknown/))
      const isChange = (number: number) => plan[number - 1]?.step.isRead === false
      const later = stopping && made.filter((number) => number > stopping.step.number && isChange(number))
      expect(later ?? []).toEqual([])
    }),
    runs(100),
  )
})

test('any list of steps is put in an order that keeps every after, or a cycle is named', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const lists = fc
    .array(fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 }), { minLength: 1, maxLength: 6 })
    .map((all) => all.map((after, at) => ({ id: ids[at] ?? '', after })))
  fc.assert(
    fc.property(lists, (list) => {
      const found = inOrder(list)
      if ('cycle' in found) {
        // Each comes after the one before it in the cycle.
        for (const [at, id] of found.cycle.slice(1).entries())
          expect(list.find((one) => one.id === id)?.after).toContain(found.cycle[at])
        return
      }
      expect(found.order.toSorted()).toEqual(list.map(({ id }) => id).toSorted())
      for (const { id, after } of list)
        for (const before of after.filter((one) => list.some((each) => each.id === one)))
          expect(found.order.indexOf(before)).toBeLessThan(found.order.indexOf(id))
    }),
    runs(100),
  )
})
