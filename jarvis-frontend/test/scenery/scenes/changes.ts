import type { Change } from 'protocol'
import { assistant, call, card, entriesOf, needed, ran, user } from '../entries.ts'
import type { Scene, ScriptSession } from '../scene.ts'
import { morning } from './morning.ts'

const minute = 60_000
const input = { vmid: 122, set: { cpulimit: '2' } }

/** A session with a card whose change may go back by itself, a change that is about to go back, and changes that ended in other ways. */
export function changesScene(now: number): Scene {
  const scene = morning(now)
  const undo = { kind: 'call', sentence: 'cpulimit of 122 goes back to none.' } as const
  const change = (id: string, sentence: string, more: Partial<Change>): Change => ({
    id,
    sessionId: 'ses_changes',
    toolName: 'set_guest_config',
    toolInput: input,
    target: { kind: 'guest', id: 'ct/122', vmid: 122, type: 'ct', name: 'sabnzbd', node: 'pve' },
    requestedBy: { kind: 'chat', name: 'anthropic/claude-sonnet-4' },
    sentence,
    at: now - 3 * minute,
    state: 'made',
    undo,
    ...more,
  })
  const made = (id: string) =>
    ran(call(id, 'set_guest_config', input), 'yellow', { summary: 'set, read back', durationMs: 1_400 })
  const config = { kind: 'config', on: 'guest' } as const
  const session: ScriptSession = {
    id: 'ses_changes',
    title: 'sabnzbd eats pve',
    updatedAt: now,
    runId: 'run_1',
    entries: entriesOf(
      [
        user('sabnzbd eats pve. Rein it in, but give it back if I forget.'),
        assistant(
          ...['armed', 'plain', 'wentback', 'stuck', 'kept', 'none'].map((id) => call(id, 'set_guest_config', input)),
        ),
        ...['armed', 'plain', 'wentback', 'stuck', 'kept', 'none'].flatMap(made),
        assistant(call('asks', 'set_guest_config', input)),
        needed(
          card({ toolUseId: 'asks', toolName: 'set_guest_config', vmid: 122 }, now, {
            toolInput: input,
            sentence: 'The memory of CT 122 "sabnzbd" becomes 4 GiB.',
            effect: config,
            reason: 'It changes what a guest runs with.',
            now: 'memory 8 GiB',
            then: 'memory 8 GiB → 4 GiB',
            undo: { kind: 'call', sentence: 'Its memory goes back to 8 GiB.', loses: 'what it cached.' },
            mayGoBack: true,
            later: { sentence: 'The safety snapshot jarvis-1006 is deleted.', at: now + 24 * 60 * minute },
          }),
        ),
      ],
      now - 4 * minute,
    ),
  }
  return {
    ...scene,
    sessions: [session, ...scene.sessions],
    changes: [
      change('armed', 'CPU limit of CT 122 "sabnzbd" is 2 cores.', {
        state: 'armed',
        goesBackAt: now + 8 * minute + 42_000,
        timerOn: 'pve',
      }),
      change('plain', 'Tags of CT 122 "sabnzbd" are media.', {
        undo: { ...undo, sentence: 'Its tags go back to none.' },
      }),
      change('wentback', 'CPU limit of CT 122 "sabnzbd" was 3 cores.', {
        state: 'undone',
        goesBackAt: now - minute,
        decidedAt: now - minute + 2_000,
        decidedBy: 'operator',
      }),
      change('stuck', 'CPU limit of CT 122 "sabnzbd" is 4 cores.', {
        problem: 'cpulimit is 4 now, not 2. Nothing was changed.',
        decidedBy: 'operator',
        decidedAt: now - minute,
      }),
      change('kept', 'Memory of CT 122 "sabnzbd" is 8 GiB.', { decidedBy: 'operator', decidedAt: now - minute }),
      change('none', 'CT 122 "sabnzbd" restarted.', { undo: { kind: 'none', sentence: 'A restart is over.' } }),
    ],
  }
}
