import type { Card } from 'protocol'
import { assistant, call, card, entriesOf, type LooseEntry, lost, needed, ran, user } from '../entries.ts'
import type { Scene, ScriptSession } from '../scene.ts'
import { morning } from './morning.ts'

/** Every state of a card that a server can bring about, in one session. */
export function gallery(now: number): Scene {
  const scene = morning(now)
  const resolved = (
    toolUseId: string,
    decision: 'approved' | 'denied' | 'expired' | 'cancelled',
    note?: string,
  ): LooseEntry => ({
    type: 'confirm_resolved',
    toolUseId,
    decision,
    by: decision === 'expired' ? 'jarvis' : 'operator',
    at: now - 5_000,
    note,
  })
  const asked = (about: { toolUseId: string; toolName: string; vmid: number }, change: Partial<Card> = {}) => {
    const made = card(about, now, change)
    return [assistant(call(made.toolUseId, made.toolName, made.toolInput)), needed(made)]
  }
  const stopping = {
    now: 'running for 63 d',
    then: 'running → stopped, clean shutdown',
    reason: 'It stops a running guest.',
  }
  const starting = { now: 'stopped', then: 'stopped → running', reason: 'It starts a guest.' }
  const target = (vmid: number, change: Partial<Card['target']>) => ({
    ...card({ toolUseId: 'x', toolName: 'stop_vm', vmid }, now).target,
    ...change,
  })
  const session: ScriptSession = {
    id: 'ses_gallery',
    title: 'Every state of a card',
    updatedAt: now,
    runId: 'run_1',
    progress: { executing: 'Task qmreboot finished: OK. Waiting until 123 is seen running' },
    entries: entriesOf(
      [
        user('Show me every state.'),
        ...asked({ toolUseId: 'done', toolName: 'restart_vm', vmid: 123 }),
        resolved('done', 'approved'),
        ...ran(call('done', 'restart_vm', { vmid: 123 }), 'red', {
          summary: 'Task OK, guest seen running after 52 s',
          durationMs: 52_000,
        }),
        ...asked({ toolUseId: 'failed', toolName: 'stop_vm', vmid: 105 }, stopping),
        resolved('failed', 'approved'),
        ...ran(call('failed', 'stop_vm', { vmid: 105 }), 'red', {
          summary: 'VM quit/powerdown failed, got timeout. 105 still runs; nothing else changed.',
          durationMs: 60_000,
          isError: true,
        }),
        ...asked({ toolUseId: 'denied', toolName: 'restart_container', vmid: 104 }),
        resolved('denied', 'denied', 'Not during the film. Ask again after 23:00.'),
        ...asked(
          { toolUseId: 'expired', toolName: 'stop_vm', vmid: 103 },
          { ...stopping, createdAt: now - 5_000 - 15 * 60_000 },
        ),
        resolved('expired', 'expired'),
        ...asked({ toolUseId: 'cancelled', toolName: 'start_vm', vmid: 142 }, starting),
        resolved('cancelled', 'cancelled'),
        ...asked({ toolUseId: 'interrupted', toolName: 'restart_container', vmid: 122 }),
        resolved('interrupted', 'approved'),
        ...lost(call('interrupted', 'restart_container', { vmid: 122 }), 'red', '122 is running, for 5 d.'),
        ...asked(
          { toolUseId: 'executing', toolName: 'restart_vm', vmid: 123 },
          { toolInput: { vmid: 123, node: 'pve' } },
        ),
        resolved('executing', 'approved'),
        {
          type: 'tool_use',
          toolUseId: 'executing',
          toolName: 'restart_vm',
          toolInput: { vmid: 123 },
          tier: 'red',
          at: now - 31_000,
        },
        ...asked(
          { toolUseId: 'pending', toolName: 'stop_vm', vmid: 103 },
          {
            ...stopping,
            affects: '4 guests keep disks on tank-nfs: 104, 105, 120, 122',
          },
        ),
        ...asked({ toolUseId: 'armed', toolName: 'start_vm', vmid: 141 }, starting),
        ...asked({ toolUseId: 'denying', toolName: 'restart_container', vmid: 104 }),
        ...asked({ toolUseId: 'approving', toolName: 'start_vm', vmid: 142 }, starting),
        ...asked(
          { toolUseId: 'client', toolName: 'stop_container', vmid: 122 },
          {
            ...stopping,
            requestedBy: { kind: 'mcp', name: 'claude-desktop', token: 'ops-laptop' },
          },
        ),
        ...asked(
          { toolUseId: 'changed', toolName: 'stop_container', vmid: 120 },
          {
            ...stopping,
            now: 'stopped',
            target: target(120, { status: 'stopped' }),
          },
        ),
        ...asked(
          { toolUseId: 'hidden', toolName: 'stop_vm', vmid: 142 },
          { ...stopping, target: target(142, { name: 'pbs\u200b' }) },
        ),
        ...asked(
          { toolUseId: 'forced', toolName: 'stop_vm', vmid: 105 },
          {
            toolInput: { vmid: 105, force: true },
            now: 'running, ignored a shutdown 2 min ago',
            then: 'running → off at once, unsaved data in 105 is lost',
            reason: 'force: true is the power plug.',
          },
        ),
      ],
      now - 60_000,
    ),
  }
  return { ...scene, sessions: [session, ...scene.sessions.slice(2)], decided: [] }
}
