import type { Alert, AlertDetail, CheckRow } from 'protocol'
import type { Scene } from '../scene.ts'
import { morning } from './morning.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/**
 * Alerts in every state: a node that is away with the alerts that it hides, a hot node, and alerts that are pending, acknowledged, silenced, held
 * and flapping.
 */
export function alertsScene(now: number): Scene {
  const alert = (id: string, more: Partial<AlertDetail>): AlertDetail => ({
    id,
    check: id,
    object: { id: 'site' },
    severity: 'look',
    state: 'firing',
    sentence: `${id} is not well.`,
    since: now - 7 * hour,
    firedAt: now - 7 * hour,
    told: [],
    title: id,
    evidence: { read: 'GET /cluster/resources', at: now - 4_000, values: [], before: { count: 0 } },
    changes: [],
    also: [],
    hidden: [],
    runbooks: [],
    missing: [],
    ...more,
  })
  const unseen = (id: string, vmid: number, name: string) =>
    alert(id, {
      check: 'guest-unseen',
      object: { id: `vm/${vmid}`, vmid, name, node: 'agent' },
      sentence: `Guest ${vmid} "${name}" is not seen.`,
      hiddenBy: 'away',
    })
  const busy = alert('busy', {
    check: 'guest-cpu',
    object: { id: 'vm/123', vmid: 123, name: 'frigate', node: 'pve' },
    sentence: 'VM 123 "frigate" is at 97 % CPU.',
    firedAt: now - 6.6 * hour,
    near: 'hot',
    flapping: { until: now + 20 * minute, changes: 6 },
  })
  const items: AlertDetail[] = [
    alert('away', {
      check: 'node-away',
      object: { id: 'node/agent', node: 'agent' },
      severity: 'failed',
      sentence: 'Node agent is away.',
      hides: 4,
      hidden: [unseen('u1', 140, 'uptime-kuma')],
    }),
    ...([140, 141, 142] as const).map((vmid, at) =>
      unseen(`u${at + 1}`, vmid, ['uptime-kuma', 'pbs', 'win11-lab'][at] ?? ''),
    ),
    alert('pbs', { check: 'storage-away', sentence: 'Storage pbs-main is not reachable.', hiddenBy: 'away' }),
    alert('hot', {
      check: 'node-heat',
      object: { id: 'node/pve', node: 'pve' },
      sentence: 'pve is at 81 °C.',
      limit: 'Limit 80 °C for 5 min, clears below 75 °C.',
      value: '81 °C',
      title: 'Heat of a node',
      evidence: {
        read: 'sensors -j over SSH',
        at: now - 6_000,
        durationMs: 312,
        values: ['81 °C', '81 °C', '82 °C', '81 °C', '80 °C'],
        usual: '58 °C, median of 24 h',
        before: { count: 3, longestMs: 41 * minute, lastAt: now - 32 * day },
      },
      chart: { series: 'node/pve', field: 'temperatureC', limit: 80, clears: 75 },
      changes: [
        { at: now - 6.6 * hour, sentence: 'VM 123 "frigate" was restarted.', by: 'root@pam', isOurs: false },
        { at: now - 9.4 * hour, sentence: 'VM 123 "frigate" lost hostpci0.', by: 'mira', isOurs: true, entry: 17_902 },
      ],
      also: [busy],
      runbooks: [{ name: 'hot-node', title: 'Hot node', inputs: { node: 'pve' } }],
      told: [{ at: now - 6.6 * hour, what: 'fired', words: '2 devices' }],
      missing: ['the fans: this board has no sensor for them'],
    }),
    busy,
    alert('full', {
      check: 'storage-fills',
      object: { id: 'storage/pve/nvme-fast', name: 'nvme-fast', node: 'pve' },
      sentence: 'nvme-fast is 91 % full.',
      firedAt: now - 3 * day,
      state: 'held',
      notSeenSince: now - hour,
    }),
    alert('wait', {
      check: 'guest-memory',
      sentence: 'VM 105 "immich" waits on memory 11 %.',
      state: 'pending',
      since: now - 130_000,
      firesAt: now + 170_000,
    }),
    alert('arc', {
      check: 'guest-ram',
      sentence: 'VM 103 "truenas" uses 92 % of its memory.',
      value: '92 %',
      acknowledged: { by: 'mira', at: now - day, note: 'ARC, expected', until: '97 %' },
    }),
    alert('smart', {
      check: 'smart',
      sentence: 'Disk sdd on pve did not pass SMART.',
      severity: 'failed',
      silenced: { by: 'mira', until: now + 2 * day + hour, note: 'disk is on its way' },
    }),
  ]
  const ended: Alert[] = Array.from({ length: 180 }, (_, at) => ({
    ...alert(`e${at}`, { check: at % 3 === 0 ? 'clock' : 'certificate' }),
    sentence: at % 3 === 0 ? `The clock of Home was ${at} s off.` : `Certificate ${at} of caddy ends soon.`,
    state: 'resolved',
    firedAt: now - (at + 1) * 5 * hour - 6 * minute,
    resolvedAt: now - (at + 1) * 5 * hour,
    ending: 'cleared by itself',
  }))
  const check = (id: string, more: Partial<CheckRow>): CheckRow => ({
    id,
    title: id,
    reads: 'GET /cluster/resources',
    limit: 'at once',
    state: 'ok',
    firing: 0,
    everyMs: minute,
    lastAt: now - 4_000,
    ...more,
  })
  const wave = Array.from({ length: 1_440 }, (_, at) => (at < 1_040 ? 57 + 4 * Math.sin(at / 60) : 81))
  const runbook = {
    name: 'hot-node',
    title: 'Hot node',
    about: 'Finds the guest that loads a node.',
    inputs: [],
    alerts: ['node-heat'],

    faults: [],
    isShipped: true,
    changedAt: now,
    hash: 'h',
    text: '',
    lastRun: { at: now - 30 * day, state: 'done' },
    steps: (['green', 'green', 'red'] as const).map((tier, at) => ({
      number: at + 1,
      title: `Step ${at + 1}`,
      toolName: 'get_guests',
      tier,
      line: 11,
    })),
  }
  return {
    ...morning(now),
    samples: {
      from: now - day,
      stepMs: minute,
      items: [{ name: 'node/pve', values: { temperatureC: wave } }],
    },
    watch: {
      alerts: items,
      ended,
      checks: [
        check('guest-unseen', { title: 'Guests that are not seen', state: 'alerts', firing: 3 }),
        check('clock', { title: 'Clock of a node' }),
        check('corosync', {
          title: 'Corosync links',
          state: 'cannot_run',
          problem: 'JARVIS has no SSH on Home: it needs it for corosync-cfgtool.',
        }),
      ],
      runbooks: [runbook],
    },
  }
}
