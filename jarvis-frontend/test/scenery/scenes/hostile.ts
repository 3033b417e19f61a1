import { assistant, call, card, entriesOf, needed, ran, text, user } from '../entries.ts'
import type { Scene, ScriptSession } from '../scene.ts'
import { morning } from './morning.ts'

const ssh = { node: 'pve', command: 'ps -eo pcpu,args' }

/** Names and texts that try to be read as markup, as interface or as instructions. */
export function hostile(now: number): Scene {
  const name = '<img src=x onerror="window.hit=1"> **pbs** [x](javascript:hit=1)\u202egpj'
  const scene = morning(now)
  const cluster = {
    ...scene.cluster,
    guests: scene.cluster.guests.map((guest) => (guest.vmid === 123 ? { ...guest, name } : guest)),
  }
  const made = card({ toolUseId: 'h1', toolName: 'restart_vm', vmid: 123 }, now, {
    target: { ...card({ toolUseId: 'h1', toolName: 'restart_vm', vmid: 123 }, now).target, name },
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
        ...ran(call('h0', 'execute_ssh', ssh), 'yellow', {
          summary: '<b>summary</b>\u200b',
          durationMs: 5,
          result: '\u001b[31m<b>red</b>\u001b[0m',
        }),
        assistant(text(words), call('h1', 'restart_vm', made.toolInput)),
        needed(made),
      ],
      now - 10_000,
    ),
  }
  return { ...scene, cluster, sessions: [session] }
}
