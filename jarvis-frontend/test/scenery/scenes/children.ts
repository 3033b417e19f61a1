import type { Entry } from 'protocol'
import { assistant, call, card, entriesOf, type LooseEntry, needed, ran, text, user } from '../entries.ts'
import type { Scene } from '../scene.ts'
import { morning } from './morning.ts'

const minute = 60_000

type Begun = { toolUseId: string; agent: string; task: string }
const begin = (of: Begun, more: object = {}): LooseEntry => ({
  type: 'subrun',
  change: 'begin',
  for: 'main',
  ...of,
  ...more,
})
/** Puts lines into a child run by its id. */
const inRun = (runId: string, ...lines: LooseEntry[]): LooseEntry[] => lines.map((line) => ({ ...line, runId }))

/** Two agents at work for a third: one is done, one waits for a card; before them one that failed and one that was stopped. */
export function childrenScene(now: number): Scene {
  const scene = morning(now)
  const media = { toolUseId: 'd_media', agent: 'media', task: 'Which folders of 104 and 122 grew, and by how much?' }
  const coder = { toolUseId: 'd_coder', agent: 'coder', task: 'Find the largest tables of nextcloud’s database.' }
  const asked = (one: Begun) => call(one.toolUseId, 'delegate', { agent: one.agent, task: one.task })
  const usedBy = (one: Begun): LooseEntry => ({
    type: 'tool_use',
    toolUseId: one.toolUseId,
    toolName: 'delegate',
    tier: 'green',
    toolInput: { agent: one.agent, task: one.task },
  })
  const came = (one: Begun, state: 'done' | 'failed' | 'stopped', summary: string): LooseEntry => ({
    type: 'subrun',
    change: 'end',
    for: 'main',
    toolUseId: one.toolUseId,
    agent: one.agent,
    state,
    summary,
    calls: 14,
    tokens: 31_000,
    costUsd: 0.04,
    durationMs: 48_000,
  })
  const words = '122 sabnzbd keeps 212 GiB of finished downloads; 104 grew by 9 GiB.'
  const made = card({ toolUseId: 'c_exec', toolName: 'execute_ssh', vmid: 121 }, now, {
    toolInput: { node: 'pve', command: 'vacuumdb nextcloud' },
    requestedBy: { kind: 'chat', name: 'anthropic/claude-sonnet-4', agent: 'coder', for: 'main' },
  })
  const lines: LooseEntry[] = [
    user('What grew this week, and what can go? Let the helpers look.'),
    assistant(asked(media), asked(coder)),
    usedBy(media),
    usedBy(coder),
    ...inRun(
      'run_media',
      begin(media),
      assistant(call('m_1', 'get_storage')),
      ...ran(call('m_1', 'get_storage'), 'green', { summary: '2 storages', durationMs: 84 }),
    ),
    ...inRun(
      'run_coder',
      begin(coder, { mostTokens: 60_000 }),
      assistant(call('c_1', 'get_guest_config', { vmid: 121 })),
    ),
    ...inRun(
      'run_coder',
      ...ran(call('c_1', 'get_guest_config', { vmid: 121 }), 'green', { summary: 'PostgreSQL 16', durationMs: 84 }),
    ),
    ...inRun(
      'run_media',
      { ...assistant(text(words)), stopReason: 'end_turn' } as LooseEntry,
      came(media, 'done', words),
    ),
    ...inRun('run_media', {
      type: 'done',
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      stopReason: 'end_turn',
    }),
    { type: 'tool_result', toolUseId: 'd_media', result: words, isError: false, summary: words, durationMs: 48_000 },
    ...inRun('run_coder', assistant(call('c_exec', 'execute_ssh', made.toolInput)), needed(made)),
  ]
  const entries: Entry[] = entriesOf(lines, now - 3 * minute)
  return {
    ...scene,
    sessions: [{ id: 'ses_children', title: 'What grew this week', updatedAt: now, runId: 'run_1', entries }],
  }
}
