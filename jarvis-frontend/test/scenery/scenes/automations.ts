import type { Job, JobSlot, JobTrace } from 'protocol'
import type { Scene } from '../scene.ts'
import { alertsScene } from './alerts.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Jobs in every state, one with a trace, and a maintenance window. */
export function automationsScene(now: number): Scene {
  const slots = (id: string, states: readonly JobSlot['state'][], summary: string): JobSlot[] =>
    states.map((state, at) => ({
      jobId: id,
      slot: now - (states.length - at) * day,
      state,
      summary,
      tokens: 0,
      ...(state !== 'missed' && state !== 'skipped' && { startedAt: now - day, endedAt: now - day + 72_000 }),
    }))
  /** A job with a letter of `states` for each of its last slots. */
  const job = (id: string, { states, summary }: { states: string; summary: string }, more: Partial<Job> = {}): Job => {
    const named = { o: 'done', x: 'failed', m: 'missed', a: 'waiting', s: 'skipped', u: 'unknown' } as const
    const last = slots(
      id,
      [...states].map((letter) => named[letter as keyof typeof named]),
      summary,
    )
    return {
      id,
      name: id,
      work: { kind: 'prompt', text: `Do ${id}.` },
      words: 'daily at 20:11, Europe/Berlin',
      schedule: { kind: 'cron', line: '11 20 * * *', zone: 'Europe/Berlin' },
      budget: {},
      state: 'active',
      by: 'mira',
      createdAt: now - 90 * day,
      failures: 0,
      last,
      isChanging: true,
      next: [1, 2, 3, 4, 5].map((days) => now + days * day - 13 * hour),
      ...more,
    }
  }
  const nightly = job(
    'nightly-check',
    { states: 'oooxoooooo', summary: '1 changed: pvestatd' },
    {
      work: { kind: 'runbook', name: 'hot-node', inputs: { node: 'pve' } },
      clockChange: 'Clocks change on 25 Oct: 20:11 both before and after.',
      budget: { tokensPerDay: 20_000 },
    },
  )
  type Step = JobTrace['steps'][number]
  const step = (done: Pick<Step, 'tier' | 'toolName' | 'summary'> & { durationMs: number }): Step => ({
    ...done,
    at: now - day + done.durationMs,
    toolInput: { node: 'Home' },
    state: 'done',
    ...(done.tier === 'yellow' && { entry: 18_193 }),
  })
  const traces = nightly.last.toReversed().map(
    (slot, at): JobTrace => ({
      ...slot,
      steps:
        at > 0
          ? []
          : [
              step({ tier: 'green', toolName: 'get_storage', summary: '4 storages, nvme-fast 91 %', durationMs: 200 }),
              step({
                tier: 'yellow',
                toolName: 'restart_service',
                summary: 'active after 2 s, read back',
                durationMs: 2_400,
              }),
            ],
      said: 'pvestatd hung and was restarted.',
    }),
  )
  const scene = alertsScene(now)
  return {
    ...scene,
    watch: {
      ...scene.watch,
      jobs: [
        job(
          'heartbeat',
          { states: 'oooooooooo', summary: '25 checks, 0 new' },
          {
            work: { kind: 'heartbeat' },
            schedule: { kind: 'interval', minutes: 30 },
            words: 'every 30 min',
            isShipped: true,
            next: [1, 2, 3, 4, 5].map((half) => now + half * 30 * minute),
          },
        ),
        nightly,
        job(
          'nightly-drill',
          { states: 'oooooooooo', summary: 'CT 113 booted, and its app answered' },
          {
            work: { kind: 'drill', window: '01:00-05:00', bwlimitKiBps: 51_200 },
            budget: { tokensPerDay: 20_000, usdPerDay: 0.5 },
            approvedUntil: null,
            isShipped: true,
          },
        ),
        job('patch-window', { states: 'ooooooaooa', summary: '4 nodes asked, 1 waits' }),
        job('prune-downloads', { states: 'ooooooooom', summary: 'JARVIS was off; not caught up: it changes' }),
        job(
          'reboot-agent',
          { states: 'ooooooxxxs', summary: 'paused' },
          {
            state: 'paused',
            next: [],
            failures: 3,
            paused: { by: 'jarvis', at: now - day, why: '3 failures in a row' },
          },
        ),
      ],
      traces,
      windows: [
        { id: 'win_1', name: 'New switch', objects: ['node/pve'], from: now - hour, until: now + hour, by: 'mira' },
      ],
    },
  }
}
