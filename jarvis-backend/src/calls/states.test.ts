import fc from 'fast-check'
import type { Decision, Tier } from 'protocol'
import { expect, test } from 'vitest'
import { runs } from '../../../scripts/property-runs.ts'
import type { Standing } from './confirmations/drift.ts'
import type { Ready } from './judgement.ts'
import type { Outcome, Resolution } from './ports.ts'
import { type Event, ends, next, type State, type Step, stateOf, states } from './states.ts'

const ready = (tier: Tier) => ({ kind: 'ready', verdict: { tier } }) as Ready
const refused = { kind: 'blocked', verdict: { tier: 'black', rule: 'never', reason: 'It is never run.' } } as const
const replacing = { note: 'It moved.', replacedBy: 'tu_next' }
const resolution = (decision: Decision): Resolution => ({ decision, by: 'anna', at: 0 })
const came = (outcome: Outcome) => ({ output: { text: '', summary: '' }, outcome, durationMs: 0 })

const seldom = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true))
const tier = fc.constantFrom<Tier>('green', 'yellow', 'red')
const drift = fc.oneof(
  fc.record({ kind: fc.constant('changed' as const), ready: tier.map(ready) }),
  fc.constant({ kind: 'over' as const, judgement: refused }),
)
const drifted = drift.map((standing) => ({ ...standing, ...replacing }))
const standing: fc.Arbitrary<Standing> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('stands' as const), ready: tier.map(ready) }) },
  drifted,
)
const outcome = fc.constantFrom<Outcome>('done', 'failed', 'unknown')
const withdrawnFor = (standing: Standing | undefined) =>
  resolution(standing === undefined || standing.kind === 'stands' ? 'approved' : 'cancelled')

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('judged' as const),
      judgement: fc.oneof({ weight: 4, arbitrary: tier.map(ready) }, fc.constant(refused)),
      isRehearsal: seldom,
      denied: seldom.map((isDenied) => (isDenied ? 'Denied before.' : undefined)),
      isGranted: seldom,
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ standing: fc.option(standing, { nil: undefined }), isNext: fc.boolean() })
      .map((how): Event => ({ type: 'approve', ...how, resolution: withdrawnFor(how.standing) })),
  },
  drifted.map((standing): Event => ({ type: 'drift', standing, resolution: withdrawnFor(standing) })),
  {
    weight: 3,
    arbitrary: fc.constantFrom<Event>(
      { type: 'deny', resolution: resolution('denied') },
      { type: 'expire', resolution: resolution('expired') },
      { type: 'withdraw', resolution: resolution('cancelled') },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Event>({ type: 'same' }, { type: 'lost' }, { type: 'resumed' }),
  },
  fc.constant<Event>({ type: 'held', message: 'Stopped.' }),
  {
    weight: 3,
    arbitrary: fc
      .record({ standing, isProven: fc.boolean(), isRehearsal: seldom })
      .map(({ isProven, ...how }): Event => ({ type: 'turn', ...how, unproven: isProven ? undefined : replacing })),
  },
  outcome.map((outcome): Event => ({ type: 'answered', done: came(outcome) })),
  outcome.map((outcome): Event => ({ type: 'found', done: came(outcome) })),
  outcome.map(
    (outcome): Event => ({
      type: 'checked',
      finding: { sessionId: 'ses', runId: 'run', outcome, text: '' },
    }),
  ),
)
/** `crash`: the process dies after a commit, and the next one goes by what is stored. */
const act = fc.oneof(
  { weight: 9, arbitrary: fc.array(event, { minLength: 1, maxLength: 4 }) },
  fc.constant('crash' as const),
)

/** The rows that the stores hold of one call after its steps, and the starts in all processes. */
function createLedger() {
  const cards: (Decision | 'open')[] = []
  const ledger = { claims: 0, started: 0, settled: 0, findings: 0, isApproved: false }

  return {
    ledger,
    write(state: State, cause: Event, { writes }: Step) {
      for (const what of writes) {
        const last = cards.at(-1)
        switch (what.write) {
          case 'decision':
            expect(last, 'the first decision wins').toBe('open')
            cards[cards.length - 1] = what.resolution.decision
            ledger.isApproved = what.resolution.decision === 'approved'
            break
          case 'card':
            expect(last, 'one card waits at a time').not.toBe('open')
            if (cause.type === 'judged') expect(cause, 'denied before').toMatchObject({ denied: undefined })
            cards.push('open')
            ledger.isApproved = false
            break
          case 'claim':
            ledger.claims += 1
            expect(ledger.claims).toBe(1)
            // The verdict of a due call says that nobody must be asked.
            expect(state === 'due' || ledger.isApproved, `${cause.type} claimed without approval`).toBe(true)
            if (cause.type === 'turn') expect(cause.isRehearsal).toBe(false)
            break
          case 'rehearsal':
          case 'refusal':
            expect(ledger.claims).toBe(0)
            ledger.settled += 1
            break
          case 'result':
            ledger.settled += 1
            break
          case 'told':
            expect(last).not.toBe('open')
            break
          case 'finding':
            ledger.findings += 1
            break
          default:
            what satisfies never
        }
      }
    },
    /** The state that the next process reads. */
    stored(): State | undefined {
      if (ledger.settled > 0) return undefined
      if (ledger.claims > 0) return 'running'
      const last = cards.at(-1)
      return last === undefined ? 'new' : stateOf(last === 'open' ? undefined : last)
    },
    cards,
  }
}

/** The event that happens at the latest, if nobody does anything. */
const atLast: { [S in State]?: Event } = {
  new: { type: 'held', message: 'Stopped.' },
  due: { type: 'held', message: 'Stopped.' },
  asked: { type: 'expire', resolution: resolution('expired') },
  approved: { type: 'held', message: 'Stopped.' },
  reading: { type: 'answered', done: came('failed') },
  running: { type: 'lost' },
  lost: { type: 'found', done: came('unknown') },
}

test('whatever happens in whatever order, a call keeps its promises', () => {
  const reached = new Set<State>()
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      const { ledger, write, stored, cards } = createLedger()
      let state: State = 'new'
      const take = (cause: Event) => {
        const step = next(state, cause)
        if (step === undefined) return false
        write(state, cause, step)
        if (step.then === 'run') {
          ledger.started += 1
          expect(ledger).toMatchObject({ started: 1, claims: 1 })
        }
        if (step.then === 'read') expect(ledger.claims).toBe(0)
        expect(step.then === undefined, 'only an end leads nowhere').toBe(
          (ends as readonly State[]).includes(step.state),
        )
        state = step.state
        reached.add(state)
        return true
      }
      const crash = () => {
        const known = stored()
        if (known === undefined) return
        state = known
        if (known !== 'new') take({ type: 'resumed' })
        // A claimed call is looked for.
        if (ledger.claims > 0) expect(state).toBe('lost')
      }
      for (const one of acts) {
        // The first that means something here: a walk of events that all come too late shows little.
        if (one !== 'crash') for (const cause of one) if (take(cause)) break
        if (one === 'crash') crash()
      }
      for (let left = 4; left > 0; left -= 1) {
        const last = atLast[state]
        if (last !== undefined) take(last)
      }
      expect(ends).toContain(state)
      expect(cards).not.toContain('open')
      expect(ledger.settled).toBe(['denied', 'withdrawn', 'expired'].includes(state) ? 0 : 1)
      expect(ledger.findings).toBeLessThanOrEqual(1)
    }),
    runs(500),
  )
  expect([...reached].toSorted()).toEqual([...states, ...ends].filter((state) => state !== 'new').toSorted())
})

test.each<[string, State, Event, Partial<Step> | undefined]>([
  ['a second approval', 'approved', { type: 'approve', isNext: true, resolution: resolution('approved') }, undefined],
  [
    'an approval of a denied card',
    'denied',
    { type: 'approve', isNext: true, resolution: resolution('approved') },
    undefined,
  ],
  ['a denial while it runs', 'running', { type: 'deny', resolution: resolution('denied') }, undefined],
  [
    'an answer after the process that waited for it is gone',
    'lost',
    { type: 'answered', done: came('done') },
    undefined,
  ],
  ['a claim without a result, read at a start', 'running', { type: 'resumed' }, { state: 'lost', then: 'look' }],
  [
    'an approval that the journal lacks',
    'approved',
    { type: 'turn', standing: { kind: 'stands', ready: ready('red') }, unproven: replacing, isRehearsal: false },
    { state: 'asked', writes: [{ write: 'card', replacing }] },
  ],
  [
    'an approval of a card that nobody waits for',
    'asked',
    { type: 'approve', isNext: true, resolution: resolution('approved') },
    { state: 'approved', then: 'turn' },
  ],
])('%s', (_, state, cause, expected) => {
  const step = next(state, cause)
  if (expected === undefined) expect(step).toBeUndefined()
  else expect(step).toMatchObject(expected)
})

/** A name, a state, an event, and the step: the next state, what is written, and what is done then. */
const verdicts: [string, State, Event, string][] = (() => {
  const judged = (tier: Tier, more: object = {}): Event => ({
    type: 'judged',
    judgement: ready(tier),
    isRehearsal: false,
    ...more,
  })
  const stands = (tier: Tier): Standing => ({ kind: 'stands', ready: ready(tier) })
  const changed = { kind: 'changed' as const, ready: ready('red'), ...replacing }
  const over = { kind: 'over' as const, judgement: refused, ...replacing }
  const turn = (standing: Standing, more: object = {}): Event => ({
    type: 'turn',
    standing,
    isRehearsal: false,
    ...more,
  })
  const approve = (standing: Standing, isNext = true): Event => ({
    type: 'approve',
    standing,
    isNext,
    resolution: resolution('approved'),
  })
  const checked = (outcome: Outcome): Event => ({
    type: 'checked',
    finding: { sessionId: 'ses', runId: 'run', outcome, text: '' },
  })
  const blocked: Event = { type: 'judged', judgement: refused, isRehearsal: false }
  return [
    ['a read', 'new', judged('green'), 'reading: then read'],
    ['a read in a rehearsal', 'new', judged('green', { isRehearsal: true }), 'reading: then read'],
    ['a change in a rehearsal', 'new', judged('yellow', { isRehearsal: true }), 'settled: rehearsal'],
    ['a red call in a rehearsal', 'new', judged('red', { isRehearsal: true }), 'settled: rehearsal'],
    ['a bounded change', 'new', judged('yellow'), 'due: then turn'],
    ['a red call', 'new', judged('red'), 'asked: card then wait'],
    ['a red call that a grant covers', 'new', judged('red', { isGranted: true }), 'due: then turn'],
    ['a call that was denied before', 'new', judged('red', { denied: 'No.' }), 'settled: refusal denied_before'],
    ['a bounded call that was denied', 'new', judged('yellow', { denied: 'No.' }), 'settled: refusal denied_before'],
    ['a call that the policy refuses', 'new', blocked, 'settled: refusal'],
    ['the turn of a due call', 'due', { type: 'same' }, 'running: claim then run'],
    ['an approval', 'asked', approve(stands('red')), 'running: decision claim then run'],
    ['an approval behind another call', 'asked', approve(stands('red'), false), 'approved: decision then turn'],
    ['an approval of what only reads now', 'asked', approve(stands('green')), 'approved: decision then turn'],
    ['an approval of what changed', 'asked', approve(changed), 'asked: decision card then wait'],
    ['an approval of what is over', 'asked', approve(over), 'settled: decision refusal'],
    ['the turn of an approved call', 'approved', turn(stands('red')), 'running: claim then run'],
    ['the turn of an approved bounded call', 'approved', turn(stands('yellow')), 'running: claim then run'],
    ['the turn of what only reads now', 'approved', turn(stands('green')), 'reading: then read'],
    ['the turn in a rehearsal', 'approved', turn(stands('red'), { isRehearsal: true }), 'settled: rehearsal'],
    ['the turn of what changed', 'approved', turn(changed), 'asked: card then wait'],
    ['the turn of what is over', 'approved', turn(over), 'settled: refusal'],
    ['an unproven approval', 'approved', turn(stands('red'), { unproven: replacing }), 'asked: card then wait'],
    ['an unproven bounded one', 'approved', turn(stands('yellow'), { unproven: replacing }), 'running: claim then run'],
    ['an answer', 'running', { type: 'answered', done: came('done') }, 'settled: result'],
    ['a failure', 'running', { type: 'answered', done: came('failed') }, 'settled: result'],
    ['an answer that tells nothing', 'lost', { type: 'found', done: came('unknown') }, 'unknown: result'],
    ['a second look that finds out', 'unknown', checked('done'), 'settled: finding'],
    ['a second look that finds nothing', 'unknown', checked('unknown'), 'unknown:'],
    ['a denial that nobody was told of', 'denied', { type: 'resumed' }, 'denied: told'],
    ['an expiry that nobody was told of', 'expired', { type: 'resumed' }, 'expired: told'],
    ['a withdrawal that nobody was told of', 'withdrawn', { type: 'resumed' }, 'withdrawn: told'],
  ]
})()

test('each event has its next state, its writes and what is done then', () => {
  const said = (step: Step | undefined) => {
    if (step === undefined) return 'too late'
    const writes = step.writes.map((what) => ('rule' in what && what.rule ? `${what.write} ${what.rule}` : what.write))
    return [`${step.state}:`, ...writes, ...(step.then === undefined ? [] : ['then', step.then])].join(' ')
  }
  const came = verdicts.map(([name, state, cause]) => [name, said(next(state, cause))])
  expect(came).toEqual(verdicts.map(([name, , , step]) => [name, step]))
})

test('a stored decision is the state that it left, and a card without one waits', () => {
  const decisions = ['approved', 'denied', 'expired', 'cancelled', undefined] as const
  expect(decisions.map(stateOf)).toEqual(['approved', 'denied', 'expired', 'withdrawn', 'asked'])
})
