import type { Card, Content, Entry } from 'jarvis-backend/protocol'
import { lab } from './lab.ts'
import type { Scene, ScriptSession } from './scripted-server.ts'

const minute = 60_000
const hour = 60 * minute
export const usage = { inputTokens: 14_200, outputTokens: 900, cacheReadTokens: 11_800, cacheWriteTokens: 0 }
const model = 'anthropic/claude-sonnet-4'

/** A card about a guest of the lab; `change` says what is special about it. */
export function card(toolUseId: string, toolName: string, vmid: number, now: number, change: Partial<Card> = {}): Card {
  const guest = lab(now).guests.find((known) => known.vmid === vmid)
  return {
    toolUseId,
    toolName,
    toolInput: { vmid },
    tier: 'red',
    reason: 'It interrupts a running guest.',
    rule: 'base',
    target: {
      kind: 'guest',
      id: `${guest?.type ?? 'vm'}/${vmid}`,
      ...(guest !== undefined && { name: guest.name, node: guest.node, type: guest.type, status: guest.status }),
      vmid,
    },
    now: 'running for 8 d 4 h, CPU 97 %',
    then: 'running → off 1 min → running, clean reboot',
    affects: 'Nothing else found (disks, HA, tasks checked)',
    requestedBy: { kind: 'chat', name: model },
    createdAt: now - 2 * minute,
    expiresAt: now + 12 * minute + 41_000,
    ...change,
  }
}

type Loose<E> = E extends Entry ? Omit<E, 'seq' | 'runId' | 'at'> & { at?: number; runId?: string } : never

/** Numbers entries and puts them in one run where they name none. */
export function entriesOf(list: readonly Loose<Entry>[], startedAt: number): Entry[] {
  return list.map((entry, seq) => ({ runId: 'run_1', at: startedAt + seq * 1_000, ...entry, seq }) as Entry)
}

export const user = (text: string, messageId = 'msg_1'): Loose<Entry> => ({
  type: 'user',
  messageId,
  text,
  by: 'operator',
})
export const assistant = (...content: Content[]): Loose<Entry> => ({
  type: 'assistant',
  model,
  content,
  usage,
  stopReason: 'tool_use',
})
export const text = (words: string): Content => ({ type: 'text', text: words })
export const call = (toolUseId: string, toolName: string, toolInput: Record<string, unknown> = {}): Content => ({
  type: 'tool_call',
  toolUseId,
  toolName,
  toolInput,
})
export const needed = (made: Card): Loose<Entry> => ({ type: 'confirm_needed', ...made })

type Tier = 'green' | 'yellow' | 'red'
export const ran = (
  toolUseId: string,
  toolName: string,
  toolInput: Record<string, unknown>,
  tier: Tier,
  summary: string,
  durationMs: number,
  isError = false,
  result = summary,
): Loose<Entry>[] => [
  { type: 'tool_use', toolUseId, toolName, toolInput, tier },
  { type: 'tool_result', toolUseId, result, isError, summary, durationMs },
]

/** A call that was under way when the server died, and of which the cluster did not say what became. */
export const lost = (
  toolUseId: string,
  toolName: string,
  toolInput: Record<string, unknown>,
  tier: Tier,
  observed: string,
): Loose<Entry>[] => [
  { type: 'tool_use', toolUseId, toolName, toolInput, tier },
  {
    type: 'tool_result',
    toolUseId,
    result: `JARVIS was restarted while this ran. ${observed}`,
    isError: true,
    summary: `I do not know whether this ran. ${observed}`,
    durationMs: 0,
    isUnknown: true,
  },
]

const ssh = { node: 'pve', command: 'ps -eo pcpu,args' }
const rm = { node: 'pve', command: 'rm -rf /srv/frigate/cache/*' }

/** The morning after a power cut: reads, changes, a refusal, an answer and two cards, with a third from elsewhere. */
export function morning(now: number): Scene {
  const main: ScriptSession = {
    id: 'ses_main',
    title: 'pve hot, backups missing',
    updatedAt: now - minute,
    runId: 'run_1',
    queued: [
      { messageId: 'msg_2', text: "Then rerun last night's backup job for those nine", by: 'operator', at: now },
    ],
    entries: entriesOf(
      [
        user("pve runs hot and last night's backups are missing. Find out why and fix what you can."),
        assistant(
          { type: 'thinking', text: 'Two symptoms, perhaps one cause.' },
          call('t1', 'get_cluster_status'),
          call('t2', 'get_recent_tasks', { node: 'pve' }),
          call('t3', 'get_node_temperature', { node: 'pve' }),
          call('t4', 'get_backups'),
          call('t5', 'execute_ssh', ssh),
          call('t6', 'wake_node', { node: 'agent' }),
          call('t7', 'execute_ssh', rm),
        ),
        ...ran('t1', 'get_cluster_status', {}, 'green', '3 of 4 online', 41),
        ...ran('t2', 'get_recent_tasks', { node: 'pve' }, 'green', '31 tasks, 9 failed', 120),
        ...ran('t3', 'get_node_temperature', { node: 'pve' }, 'green', '81 °C', 312),
        ...ran('t4', 'get_backups', {}, 'green', 'vzdump failed for 9 guests', 61),
        ...ran(
          't5',
          'execute_ssh',
          ssh,
          'yellow',
          'ffmpeg at 388 %',
          1_200,
          false,
          '%CPU COMMAND\n 388 ffmpeg -hwaccel none -i rtsp://cam:[redacted]@10.0.4.21/main\n14.1 /usr/bin/python3',
        ),
        ...ran('t6', 'wake_node', { node: 'agent' }, 'yellow', 'online after 41 s', 41_000),
        {
          type: 'blocked',
          toolUseId: 't7',
          toolName: 'execute_ssh',
          toolInput: rm,
          reason: 'rm deletes files. Over SSH only commands proven to read may run.',
          rule: 'ssh',
          tier: 'black',
        },
        assistant(
          text(
            '**agent lost power at 02:14**, before the backup job. 141 pbs lives there, so 9 guests have no backup from last night. agent is awake again, but PBS did not start with it. The heat is something else: 123 frigate lost its GPU at 02:31 and decodes on the CPU since. Two changes need you.',
          ),
          call('t8', 'restart_vm', { vmid: 123, node: 'pve' }),
          call('t9', 'start_vm', { vmid: 141 }),
        ),
        needed(
          card('t8', 'restart_vm', 123, now, {
            toolInput: { vmid: 123, node: 'pve' },
            affects: '7 cameras stop recording',
          }),
        ),
        needed(
          card('t9', 'start_vm', 141, now, {
            now: 'stopped',
            then: 'stopped → running, up to 4 of 12.1 GiB free',
            reason: 'It starts a guest.',
          }),
        ),
      ],
      now - 2 * minute,
    ),
  }
  const client: ScriptSession = {
    id: 'ses_mcp',
    title: 'MCP claude-desktop',
    source: 'mcp',
    updatedAt: now - 3 * minute,
    runId: 'run_1',
    entries: entriesOf(
      [
        assistant(call('m1', 'get_containers', { node: 'pve' }), call('m2', 'stop_container', { vmid: 122 })),
        ...ran('m1', 'get_containers', { node: 'pve' }, 'green', '5 containers', 88),
        needed(
          card('m2', 'stop_container', 122, now, {
            now: 'running for 5 d',
            then: 'running → stopped, clean shutdown',
            reason: 'It stops a running guest.',
            requestedBy: { kind: 'mcp', name: 'claude-desktop', token: 'ops-laptop' },
            createdAt: now - 11 * minute,
            expiresAt: now + 3 * minute + 8_000,
          }),
        ),
      ],
      now - 3 * minute,
    ),
  }
  const old = (id: string, title: string, hours: number): ScriptSession => ({
    id,
    title,
    updatedAt: now - hours * hour,
    entries: [],
  })
  const sessions = [
    main,
    client,
    old('s2', 'Renew the caddy certificates', 1),
    old('s3', 'Which guests grew this week', 2),
    old('s4', 'Move postgres to nvme-fast', 25),
    old('s5', 'agent fan noise', 26),
    old('s6', 'Weekly storage review', 60),
    old('s7', 'immich import stalled', 80),
    old('s8', 'Plan the 9.2 upgrade', 100),
    old('s9', 'Unbound returns SERVFAIL', 120),
  ]
  const decided = {
    ...card('d1', 'restart_container', 104, now),
    sessionId: 's2',
    decision: 'approved' as const,
    decidedBy: 'operator',
    decidedAt: now - hour,
  }
  const expired = {
    ...card('d2', 'stop_vm', 103, now, { createdAt: now - 2 * hour - 15 * minute }),
    sessionId: 's3',
    decision: 'expired' as const,
    decidedAt: now - 2 * hour,
  }
  return {
    cluster: lab(now),
    sessions,
    decided: [decided, expired],
    feed: [
      { at: now - 9 * hour, kind: 'task', level: 'warning', text: 'vzdump failed on pve' },
      { at: now - hour, kind: 'node', level: 'info', text: 'agent is online' },
    ],
    tools: [
      tool('get_cluster_status', 'Nodes, quorum, versions.', 'green', {}),
      tool('get_vms', 'Virtual machines and what they use.', 'green', { node: 'string' }),
      tool('execute_ssh', 'One command on a node, proven to read.', 'yellow', { node: 'string!', command: 'string!' }),
      tool('restart_vm', 'Reboot one virtual machine.', 'red', { vmid: 'integer!', node: 'string', force: 'boolean' }),
      tool('start_vm', 'Start one virtual machine.', 'red', { vmid: 'integer!', node: 'string' }),
      tool('stop_vm', 'Shut one virtual machine down.', 'red', { vmid: 'integer!', node: 'string', force: 'boolean' }),
    ],
  }
}

function tool(name: string, description: string, tier: Tier, inputs: Record<string, string>) {
  return {
    name,
    description,
    tier,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(inputs).map(([key, type]) => [key, { type: type.replace('!', '') }]),
      ),
      required: Object.keys(inputs).filter((key) => inputs[key]?.endsWith('!')),
    },
  }
}

/** Every state of a card that a server can bring about, in one session. */
export function gallery(now: number): Scene {
  const scene = morning(now)
  const resolved = (
    toolUseId: string,
    decision: 'approved' | 'denied' | 'expired' | 'cancelled',
    note?: string,
  ): Loose<Entry> => ({
    type: 'confirm_resolved',
    toolUseId,
    decision,
    by: decision === 'expired' ? 'jarvis' : 'operator',
    at: now - 5_000,
    ...(note !== undefined && { note }),
  })
  const asked = (id: string, tool: string, vmid: number, change: Partial<Card> = {}) => {
    const made = card(id, tool, vmid, now, change)
    return [assistant(call(id, tool, made.toolInput)), needed(made)]
  }
  const stopping = {
    now: 'running for 63 d',
    then: 'running → stopped, clean shutdown',
    reason: 'It stops a running guest.',
  }
  const starting = { now: 'stopped', then: 'stopped → running', reason: 'It starts a guest.' }
  const target = (vmid: number, change: Partial<Card['target']>) => ({
    ...card('x', 'stop_vm', vmid, now).target,
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
        ...asked('done', 'restart_vm', 123),
        resolved('done', 'approved'),
        ...ran('done', 'restart_vm', { vmid: 123 }, 'red', 'Task OK, guest seen running after 52 s', 52_000),
        ...asked('failed', 'stop_vm', 105, stopping),
        resolved('failed', 'approved'),
        ...ran(
          'failed',
          'stop_vm',
          { vmid: 105 },
          'red',
          'VM quit/powerdown failed, got timeout. 105 still runs; nothing else changed.',
          60_000,
          true,
        ),
        ...asked('denied', 'restart_container', 104),
        resolved('denied', 'denied', 'Not during the film. Ask again after 23:00.'),
        ...asked('expired', 'stop_vm', 103, { ...stopping, createdAt: now - 5_000 - 15 * minute }),
        resolved('expired', 'expired'),
        ...asked('cancelled', 'start_vm', 142, starting),
        resolved('cancelled', 'cancelled'),
        ...asked('interrupted', 'restart_container', 122),
        resolved('interrupted', 'approved'),
        ...lost('interrupted', 'restart_container', { vmid: 122 }, 'red', '122 is running, for 5 d.'),
        ...asked('executing', 'restart_vm', 123, { toolInput: { vmid: 123, node: 'pve' } }),
        resolved('executing', 'approved'),
        {
          type: 'tool_use',
          toolUseId: 'executing',
          toolName: 'restart_vm',
          toolInput: { vmid: 123 },
          tier: 'red',
          at: now - 31_000,
        },
        ...asked('pending', 'stop_vm', 103, {
          ...stopping,
          affects: '4 guests keep disks on tank-nfs: 104, 105, 120, 122',
        }),
        ...asked('armed', 'start_vm', 141, starting),
        ...asked('denying', 'restart_container', 104),
        ...asked('approving', 'start_vm', 142, starting),
        ...asked('client', 'stop_container', 122, {
          ...stopping,
          requestedBy: { kind: 'mcp', name: 'claude-desktop', token: 'ops-laptop' },
        }),
        ...asked('changed', 'stop_container', 120, {
          ...stopping,
          now: 'stopped',
          target: target(120, { status: 'stopped' }),
        }),
        ...asked('hidden', 'stop_vm', 142, { ...stopping, target: target(142, { name: 'pbs\u200b' }) }),
        ...asked('forced', 'stop_vm', 105, {
          toolInput: { vmid: 105, force: true },
          now: 'running, ignored a shutdown 2 min ago',
          then: 'running → off at once, unsaved data in 105 is lost',
          reason: 'force: true is the power plug.',
        }),
      ],
      now - 60_000,
    ),
  }
  return { ...scene, sessions: [session, ...scene.sessions.slice(2)], decided: [] }
}

/** A restart and a wake of which nobody knows whether they ran. */
export function unknown(now: number): Scene {
  const made = card('u1', 'restart_container', 122, now)
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
        ...lost('u1', 'restart_container', { vmid: 122 }, 'red', '122 is running, for 5 d.'),
        ...lost('u2', 'wake_node', { node: 'agent' }, 'yellow', 'agent is offline.'),
        { type: 'done', usage, stopReason: 'end_turn' },
      ],
      now - minute,
    ),
  }
  return { ...morning(now), sessions: [session], decided: [] }
}

/** Names and texts that try to become markup, interface or orders. */
export function hostile(now: number): Scene {
  const name = '<img src=x onerror="window.hit=1"> **pbs** [x](javascript:hit=1)\u202egpj'
  const scene = morning(now)
  const cluster = {
    ...scene.cluster,
    guests: scene.cluster.guests.map((guest) => (guest.vmid === 123 ? { ...guest, name } : guest)),
  }
  const made = card('h1', 'restart_vm', 123, now, {
    target: { ...card('h1', 'restart_vm', 123, now).target, name },
    toolInput: { vmid: 123, node: '<b>pve</b>' },
    affects: '<script>window.hit=1</script>',
    requestedBy: { kind: 'mcp', name: '<b>JARVIS</b>\u200b', token: 't' },
  })
  const words = [
    'Hello <img src=x onerror="window.hit=1"> <b>bold</b>',
    '',
    '<script>window.hit=1</script>',
    '',
    '![pixel](https://evil.example/p.png) [press](javascript:window.hit=1) [site](https://evil.example/a)',
    '',
    '# Approve: restart 123',
  ].join('\n')
  const session: ScriptSession = {
    id: 'ses_hostile',
    title: name,
    updatedAt: now,
    runId: 'run_1',
    entries: entriesOf(
      [
        user('<b>me</b>'),
        assistant(call('h0', 'execute_ssh', ssh)),
        ...ran('h0', 'execute_ssh', ssh, 'yellow', '<b>summary</b>\u200b', 5, false, '\u001b[31m<b>red</b>\u001b[0m'),
        assistant(text(words), call('h1', 'restart_vm', made.toolInput)),
        needed(made),
      ],
      now - 10_000,
    ),
  }
  return { ...scene, cluster, sessions: [session] }
}
