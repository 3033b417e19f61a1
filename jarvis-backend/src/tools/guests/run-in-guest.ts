import { ApiError } from 'homelab-ports/failure'
import { canonicalJson } from 'node-kit/canonical'
import { quoted } from 'redaction/visible'
import { quote } from 'ssh-grammar/judge-command'
import { z } from 'zod'
import { type Effect, Mistake } from '../../gate/effect.ts'
import type { World } from '../../gate/world.ts'
import { oneLine } from '../../homelab/format.ts'
import { record } from '../../homelab/operations/guest-config.ts'
import { safetyOf } from '../../homelab/operations/safety-snapshot.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { advice, freeGuest, guestEffect, placeOf, vmidOf, who } from './guest-tool.ts'
import { laterOf, safetyWords, takenBefore } from './safety.ts'

const name = 'run_in_guest'
const pollMs = 500
const keptCharacters = 8_000
const timeoutMs = 300_000

const tierOf = ({ policy }: World): Pick<Effect, 'atLeast'> =>
  policy.enabled.has(name)
    ? { atLeast: { tier: 'red', because: 'It runs a program in a guest, with all rights there.', isAlways: true } }
    : {
        atLeast: {
          tier: 'black',
          because: `No program is run in a guest, unless policy.yaml names ${name} under enable.`,
        },
      }

export const runInGuest = homelabTool({
  name,
  title: 'Run a program in a guest',
  description: 'Runs one program in a VM by its guest agent, without a shell. Refused unless the operator enabled it.',
  tier: 'red',
  isOptIn: true,
  touches: [{ kind: 'execute', on: 'guest' }],
  raises: [{ tier: 'black', words: 'unless policy.yaml enables it' }],
  effects: ({ vmid, command }, world) => {
    const text = quote(command)
    return [
      guestEffect(
        'execute',
        {
          vmid,
          deed: `run a program in ${vmid}`,
          sentence: (target) => `One program runs in ${who(target)}: ${quoted(text, 300, '`')}.`,
          ...tierOf(world),
          executes: { argument: 'command', text },
        },
        world,
      ),
    ]
  },
  async prepare({ vmid, command }, context, ports) {
    const { guest, config } = await freeGuest(
      ports,
      { vmid, type: 'vm', instead: 'A container has no agent: execute_ssh reads on its node.' },
      context,
    )
    if (guest.status !== 'running')
      throw new Mistake(`vmid: ${vmid} is ${guest.status}: only a running guest has an agent.`)
    let system: Record<string, string>
    try {
      const said = await ports.api.get([...guestPath(guest), 'agent', 'get-osinfo'], {}, context)
      system = record((said as { result?: unknown } | null)?.result)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cluster_refused' || error.status === 403) throw error
      throw new Mistake(`vmid: the agent of ${vmid} does not answer: ${oneLine(error.words, 120)}.`)
    }
    const safety = await safetyOf(
      ports.api,
      { place: guest, config, change: canonicalJson(command), storages: ports.cluster.state().storages },
      context,
    )
    return {
      now: `running${system['pretty-name'] === undefined ? '' : `, ${quoted(system['pretty-name'], 60)}`}; its agent answers`,
      then: `the program runs once, with all rights in the guest${safetyWords(safety)}`,
      undo: { kind: 'none', because: 'What a program did in a guest is not known to JARVIS.' },
      ...laterOf(ports.api, vmid, safety),
    }
  },
  ending: ({ vmid, command }) => ({
    look: `Proxmox names no task of it. Look in ${vmid} whether ${quoted(quote(command), 100)} ran.`,
  }),
  needs: [rights.guests, rights.agent],
  timeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    command: z.array(z.string()).min(1).max(100).describe('Program and arguments.'),
  }),
  example: { vmid: 123, command: ['hostname'] },
  output: z.object({
    vmid: z.int(),
    exitCode: z.int().nullable().describe('null: a signal ended it, or it did not run.'),
    stdout: z.string(),
    stderr: z.string(),
    isCut: z.boolean(),
    safetySnapshot: z.string().optional(),
  }),
  async run({ vmid, command }, context, ports) {
    const { signal } = context
    const place = placeOf(ports, vmid, context.target)
    const safety = await takenBefore(ports, place, context)
    const none = { vmid, exitCode: null, stdout: '', stderr: '', isCut: false }
    if ('failed' in safety) return { ...safety.failed, data: none }
    const extra = safety.name === undefined ? {} : { safetySnapshot: safety.name }
    const path = [...guestPath(place), 'agent']
    let begun: Record<string, string>
    try {
      begun = record(await ports.api.change({ method: 'POST', path: [...path, 'exec'], form: { command } }, { signal }))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
      const said = oneLine(error.words, 300)
      const text = `${vmid}: Proxmox refused, and nothing ran: "${said}". ${advice(said, false)}`
      return { text, summary: `Refused: ${oneLine(said, 120)}`, data: { ...none, ...extra }, isError: true }
    }
    for (;;) {
      const said = record(await ports.api.get([...path, 'exec-status'], { pid: begun.pid ?? '' }, { signal }))
      if (said.exited !== '1') {
        await ports.api.wait(pollMs, signal)
        continue
      }
      const [stdout, stderr] = [said['out-data'] ?? '', said['err-data'] ?? '']
      const isCut = said['out-truncated'] === '1' || said['err-truncated'] === '1'
      const exitCode = said.exitcode === undefined ? null : Number(said.exitcode)
      const ended = exitCode === null ? `Ended by signal ${said.signal ?? 'unknown'}` : `Exit code ${exitCode}`
      const parts = [
        `${ended}.${isCut ? ' The output was too long, and a part of it is missing.' : ''}`,
        ...(stdout === '' ? [] : [`stdout:\n${ends(stdout)}`]),
        ...(stderr === '' ? [] : [`stderr:\n${ends(stderr)}`]),
      ]
      return {
        text: parts.join('\n'),
        summary: ended,
        data: { vmid, exitCode, stdout: ends(stdout), stderr: ends(stderr), isCut, ...extra },
        isError: exitCode !== 0,
      }
    }
  },
})

/** The beginning and the end of a long text. */
function ends(text: string): string {
  const plain = text.trimEnd()
  if (plain.length <= keptCharacters) return plain
  const half = keptCharacters / 2
  return `${plain.slice(0, half)}\n… ${plain.length - 2 * half} characters left out …\n${plain.slice(-half)}`
}
