import { assistant, call, card, entriesOf, lost, needed, usage, user } from '../entries.ts'
import type { Scene, ScriptSession } from '../scene.ts'
import { morning } from './morning.ts'

/** A restart and a wake-up with unknown outcomes. */
export function unknown(now: number): Scene {
  const made = card({ toolUseId: 'u1', toolName: 'restart_container', vmid: 122 }, now)
  const session: ScriptSession = {
    id: 'ses_unknown',
    title: 'Cut short',
    updatedAt: now,
    entries: entriesOf(
      [
        user('Restart sabnzbd and wake agent.'),
        assistant(call('u1', 'restart_container', { vmid: 122 }), call('u2', 'wake_node', { node: 'agent' })),
        needed(made),
        { type: 'confirm_resolved', toolUseId: 'u1', decision: 'approved', by: 'operator' },
        ...lost(call('u1', 'restart_container', { vmid: 122 }), 'red', '122 is running, for 5 d.'),
        ...lost(call('u2', 'wake_node', { node: 'agent' }), 'yellow', 'agent is offline.'),
        { type: 'done', usage, stopReason: 'end_turn' },
      ],
      now - 60_000,
    ),
  }
  return { ...morning(now), sessions: [session], decided: [] }
}
