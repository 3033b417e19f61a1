import type { ToolInfo } from 'protocol'
import { assistant, call, card, entriesOf, needed, ran, text, user } from '../entries.ts'
import { lab } from '../lab.ts'
import type { Scene, ScriptSession } from '../scene.ts'

const minute = 60_000
const hour = 60 * minute
const ssh = { node: 'pve', command: 'ps -eo pcpu,args' }
const rm = { node: 'pve', command: 'rm -rf /srv/frigate/cache/*' }

/** The morning after a power cut: reads, changes, a refusal, an answer, two cards in this session and a third in another. */
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
        ...ran(call('t1', 'get_cluster_status'), 'green', { summary: '3 of 4 online', durationMs: 41 }),
        ...ran(call('t2', 'get_recent_tasks', { node: 'pve' }), 'green', {
          summary: '31 tasks, 9 failed',
          durationMs: 120,
        }),
        ...ran(call('t3', 'get_node_temperature', { node: 'pve' }), 'green', { summary: '81 °C', durationMs: 312 }),
        ...ran(call('t4', 'get_backups'), 'green', { summary: 'vzdump failed for 9 guests', durationMs: 61 }),
        ...ran(call('t5', 'execute_ssh', ssh), 'yellow', {
          summary: 'ffmpeg at 388 %',
          durationMs: 1_200,
          result:
            '%CPU COMMAND\n 388 ffmpeg -hwaccel none -i rtsp://cam:[redacted]@10.0.4.21/main\n14.1 /usr/bin/python3',
        }),
        ...ran(call('t6', 'wake_node', { node: 'agent' }), 'yellow', {
          summary: 'online after 41 s',
          durationMs: 41_000,
        }),
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
          card({ toolUseId: 't8', toolName: 'restart_vm', vmid: 123 }, now, {
            toolInput: { vmid: 123, node: 'pve' },
            affects: '7 cameras stop recording',
          }),
        ),
        needed(
          card({ toolUseId: 't9', toolName: 'start_vm', vmid: 141 }, now, {
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
        ...ran(call('m1', 'get_containers', { node: 'pve' }), 'green', { summary: '5 containers', durationMs: 88 }),
        needed(
          card({ toolUseId: 'm2', toolName: 'stop_container', vmid: 122 }, now, {
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
    ...card({ toolUseId: 'd1', toolName: 'restart_container', vmid: 104 }, now),
    sessionId: 's2',
    decision: 'approved' as const,
    decidedBy: 'operator',
    decidedAt: now - hour,
  }
  const expired = {
    ...card({ toolUseId: 'd2', toolName: 'stop_vm', vmid: 103 }, now, { createdAt: now - 2 * hour - 15 * minute }),
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
      tool({ name: 'get_cluster_status', description: 'Nodes, quorum, versions.', tier: 'green' }, {}),
      tool({ name: 'get_vms', description: 'Virtual machines and what they use.', tier: 'green' }, { node: 'string' }),
      tool(
        { name: 'execute_ssh', description: 'One command on a node, proven to read.', tier: 'yellow' },
        { node: 'string!', command: 'string!' },
      ),
      tool(
        { name: 'restart_vm', description: 'Reboot one virtual machine.', tier: 'red' },
        { vmid: 'integer!', node: 'string', force: 'boolean' },
      ),
      tool(
        { name: 'start_vm', description: 'Start one virtual machine.', tier: 'red' },
        { vmid: 'integer!', node: 'string' },
      ),
      tool(
        { name: 'stop_vm', description: 'Shut one virtual machine down.', tier: 'red' },
        { vmid: 'integer!', node: 'string', force: 'boolean' },
      ),
    ],
  }
}

function tool(about: Pick<ToolInfo, 'name' | 'description' | 'tier'>, inputs: Record<string, string>): ToolInfo {
  return {
    ...about,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(inputs).map(([key, type]) => [key, { type: type.replace('!', '') }]),
      ),
      required: Object.keys(inputs).filter((key) => inputs[key]?.endsWith('!')),
    },
  }
}
