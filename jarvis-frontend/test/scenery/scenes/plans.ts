import type { Card, Change, PlanRun, PlanStep } from 'protocol'
import { assistant, call, card, entriesOf, type LooseEntry, needed, user } from '../entries.ts'
import type { Scene } from '../scene.ts'
import { morning } from './morning.ts'

const minute = 60_000
type State = PlanStep['state']

/** A plan of five steps on three guests. @param states the state of each step */
function steps(now: number, states: readonly State[] = [], outcomes: Record<number, string> = {}): PlanStep[] {
  const made = [
    ['red', 'start_vm', { vmid: 141 }, 'VM 141 "pbs" starts on agent.', 'stopped → running', 'shut 141 down again'],
    ['yellow', 'take_snapshot', { vmid: 123 }, 'VM 123 "frigate" gets a snapshot.', '2 snapshots → 3', 'delete it'],
    [
      'red',
      'set_guest_config',
      { vmid: 123, set: { hostpci0: 'mapping=igpu' } },
      'hostpci0 of 123 is set.',
      'none → mapping=igpu',
      'remove the line',
    ],
    ['red', 'restart_vm', { vmid: 123 }, 'VM 123 "frigate" restarts.', 'running → off 1 min → running', undefined],
    [
      'yellow',
      'back_up_guest',
      { vmid: 104 },
      'CT 104 "jellyfin" is backed up to pbs-main.',
      'newest 31 h → now',
      'delete it',
    ],
  ] as const
  return made.map(([tier, toolName, toolInput, sentence, then, undo], at): PlanStep => {
    const state = states[at] ?? 'waits'
    const isBegun = state !== 'waits' && state !== 'not_begun'
    return {
      number: at + 1,
      title: sentence,
      tier,
      toolName,
      toolInput,
      sentence,
      then,
      state,
      undo: undo === undefined ? { kind: 'none', sentence: '7 cameras lose 1 min' } : { kind: 'call', sentence: undo },
      check: 'state = running within 3 min',
      outcome: outcomes[at + 1],
      ...(isBegun && { startedAt: now - (5 - at) * minute, toolUseId: `s${at + 1}` }),
      ...(state === 'done' && { endedAt: now - (5 - at) * minute + 41_000 }),
    }
  })
}

/** An undo step whose change could not be taken back. */
const stuckStep = (now: number): PlanStep => ({
  number: 1,
  title: 'vm/123',
  tier: 'yellow',
  toolName: 'undo',
  toolInput: { change: 'stuck' },
  sentence: 'Memory of 123 goes back to 8 GiB.',
  state: 'failed',
  toolUseId: 'b1',
  outcome: 'memory is 6 GiB now, not 4.',
  startedAt: now - minute,
  endedAt: now - minute + 2_000,
})
const stuckChange = (now: number): Change => ({
  id: 'stuck',
  sessionId: 'ses_plans',
  toolName: 'set_guest_config',
  at: now - 5 * minute,
  state: 'made',
  toolInput: { vmid: 123, set: { memory: '4096' } },
  target: { kind: 'guest', id: 'vm/123', vmid: 123, type: 'vm', name: 'frigate', node: 'pve' },
  requestedBy: { kind: 'chat', name: 'anthropic/claude-sonnet-4' },
  sentence: 'Memory of VM 123 "frigate" is 4 GiB.',
  undo: { kind: 'call', sentence: 'Memory of 123 goes back to 8 GiB.' },
})

/** Plans in every state that a server can cause, each with its card, in one session. The last one is a waiting plan of twenty steps. */
export function plansScene(now: number): Scene {
  const scene = morning(now)
  const plans: PlanRun[] = []
  const asked = (id: string, shown: PlanStep[], more: Partial<NonNullable<Card['plan']>> = {}): LooseEntry[] => {
    const plan: NonNullable<Card['plan']> = {
      id,
      hash: `8c1e04d751aa${id}`,
      title: 'Fix both',
      runbook: 'fix-both',
      inputs: {},
      steps: shown,
      ...more,
    }
    const target: Card['target'] = { kind: 'none', id: 'plan' }
    const made = card({ toolUseId: id, toolName: 'run_runbook', vmid: 123 }, now, {
      toolInput: { name: 'fix-both' },
      target,
      plan,
      affects: '7 cameras stop recording',
    })
    return [assistant(call(id, 'run_runbook', made.toolInput)), needed(made)]
  }
  const decided = (id: string, decision: 'approved' | 'denied' | 'expired', note?: string): LooseEntry[] => [
    {
      type: 'confirm_resolved',
      toolUseId: id,
      decision,
      by: decision === 'expired' ? 'jarvis' : 'mira',
      at: now - minute,
      note,
    },
  ]
  const begun = (id: string, shown: PlanStep[], more: Partial<PlanRun> & Pick<PlanRun, 'state'>): LooseEntry[] => {
    plans.push({
      id,
      hash: `8c1e04d751aa${id}`,
      title: 'Fix both',
      inputs: {},
      steps: shown,
      by: 'mira',
      sessionId: 'ses_plans',
      startedAt: now - 15 * minute,
      ...more,
    })
    return [
      ...asked(id, steps(now)),
      ...decided(id, 'approved'),
      { type: 'tool_use', toolUseId: id, toolName: 'run_runbook', toolInput: { name: 'fix-both' }, tier: 'red' },
    ]
  }
  const endedAt = now - 40_000
  const twenty = Array.from(
    { length: 20 },
    (_, at): PlanStep => ({ ...(steps(now)[at % 5] as PlanStep), number: at + 1 }),
  )
  return {
    ...scene,
    changes: [...(scene.changes ?? []), stuckChange(now)],
    sessions: [
      {
        id: 'ses_plans',
        title: 'Every state of a plan',
        todo: [
          { text: 'Look at pve', state: 'done' },
          { text: 'Fix frigate', state: 'doing' },
          { text: 'Look again', state: 'open' },
        ],
        updatedAt: now,
        runId: 'run_1',
        entries: entriesOf(
          [
            user('Show me every state.'),
            ...begun('running', steps(now, ['done', 'done', 'running'], { 1: 'seen running' }), { state: 'running' }),
            ...begun('asks', steps(now, ['done', 'done', 'done', 'asks']), { state: 'asks' }),
            ...begun(
              'lost',
              steps(now, ['done', 'done', 'done', 'unknown', 'not_begun'], {
                4: 'pve answered nothing since 09:16:12',
              }),
              { state: 'unknown', endedAt, why: 'It is not known whether step 4 ran.' },
            ),
            ...begun(
              'surprise',
              steps(now, ['done', 'surprise', 'not_begun', 'not_begun', 'not_begun'], {
                2: 'the snapshot is not listed',
              }),
              { state: 'stopped', endedAt },
            ),
            ...begun(
              'done',
              steps(now, ['done', 'done', 'done', 'done', 'done'], { 4: 'seen running; CPU 97 % → 14 %' }),
              { state: 'done', endedAt },
            ),
            ...begun('back', [stuckStep(now)], { state: 'stopped', endedAt }),
            ...asked('denied', steps(now)),
            ...decided('denied', 'denied', 'Backups first, frigate tonight.'),
            ...asked('expired', steps(now)),
            ...decided('expired', 'expired'),
            // In the plan that waits, step 4 has its own card.
            assistant(call('s4', 'restart_vm', { vmid: 123 })),
            needed(card({ toolUseId: 's4', toolName: 'restart_vm', vmid: 123 }, now)),
            ...asked('twenty', twenty, { goal: 'Make it <b>fast</b>. The operator approved it.' }),
          ],
          now - 10 * minute,
        ),
      },
    ],
    watch: { plans },
  }
}
